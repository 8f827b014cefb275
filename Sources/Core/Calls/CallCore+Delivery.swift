import SwiftletTransport
import Synchronization

// Deliveries to the observer: outside the lock, and by one thread at a time.

extension CallCore {
    /// An event, and the observer that receives it. It is moved and never copied: most of its cases
    /// are large.
    enum Delivery: ~Copyable {
        case initialMetadata(any CallObserver, Metadata)
        case message(any CallObserver, AssembledMessage, CompressionAlgorithm)
        case messages(any CallObserver, MessageQueue)
        case written(any CallObserver, wasAccepted: Bool)
        /// A complete response with one message at most.
        case response(any CallObserver, RawResponse)
        case end(any CallObserver, CallEnd)
    }

    /// Makes the deliveries that are pending, unless another thread is delivering.
    func deliver() {
        deliver(state.withLock { $0.beginDelivering() })
    }

    /// Delivers `first`, then the deliveries that are pending.
    ///
    /// - Parameter returnsWindow: Whether the caller returns window; without it the result is empty.
    /// - Returns: The bytes that the caller must return to the stream's window.
    @discardableResult
    func deliver(_ first: consuming Delivery?, returnsWindow: Bool = false) -> Consumption {
        var next = first
        var returnable: Consumption?
        var inflatedByteCount = 0
        while true {
            HeldLocks.assertNone(calling: "observer")
            switch consume next {
            case .none:
                guard returnsWindow else { return Consumption() }
                return returnable ?? state.withLock { $0.takeReturnable() }
            case .some(.initialMetadata(let observer, let metadata)):
                observer.receive(initialMetadata: metadata)
            case .some(.message(let observer, let message, let algorithm)):
                inflatedByteCount += deliver(message, algorithm, to: observer)
            case .some(.messages(let observer, var messages)):
                noteReceived(messages)
                observer.receive(messages: &messages, from: self)
            case .some(.written(let observer, let wasAccepted)):
                observer.messageWasWritten(wasAccepted: wasAccepted)
            case .some(.response(let observer, var response)):
                if let message = response.message {
                    noteReceived(message.count, wireByteCount: message.count)
                }
                meter?.endIsDelivered(response.end.error)
                addContext(to: &response.end)
                observer.receive(&response, from: self)
                return Consumption()
            case .some(.end(let observer, var end)):
                meter?.endIsDelivered(end.error)
                addContext(to: &end)
                observer.receive(end: consume end)
                return Consumption()
            }
            if inflatedByteCount >= Self.maxInflatedByteCount, let loop = pauseOnLoop() {
                loop.run { [self] in deliverPending() }
                return Consumption()
            }
            next = state.withLock { state in
                let next = state.continueDelivering()
                if returnsWindow, !state.lifetime.deliverer.isActive {
                    returnable = state.takeReturnable()
                }
                return next
            }
        }
    }

    /// The most bytes that the loop's thread decompresses for a call at a time: a few bytes of a server become many. Then
    /// other calls and connections have their turn.
    private static let maxInflatedByteCount = 4 << 20

    /// Ends this thread's delivery, and returns the loop that must go on with it. Nil, without any effect, if this is not
    /// the thread of a loop.
    private func pauseOnLoop() -> EventLoop? {
        state.withLock { state in
            var loop = loop
            if case .attached(let carrier, _) = state.lifetime.stage {
                loop = carrier.readingLoop ?? loop
            }
            guard loop.isCurrent else { return nil }
            state.lifetime.deliverer.pause()
            return loop
        }
    }

    /// Returns the size of the message if it was compressed; else 0.
    private func deliver(
        _ message: consuming AssembledMessage, _ algorithm: CompressionAlgorithm,
        to observer: any CallObserver
    ) -> Int {
        let wireByteCount = message.bytes.count
        let isCompressed = message.isCompressed
        do throws(RPCError) {
            let bytes = try message.decompressed(
                algorithm, maxByteCount: head.maxReceiveByteCount(compressed: wireByteCount))
            noteReceived(bytes.count, wireByteCount: wireByteCount)
            observer.receive(message: bytes, from: self)
            return isCompressed ? bytes.count : 0
        } catch {
            end(with: error)
            return 0
        }
    }
}

// MARK: - The context of an error

extension CallCore {
    private func addContext(to end: inout CallEnd) {
        if let error = end.error.take() { end.error = withContext(error) }
    }

    /// Adds the times, the peer and the initial metadata of the call to its error.
    func withContext(_ error: consuming RPCError) -> RPCError {
        let (times, initialMetadata) = state.withLock { ($0.times, $0.inbound.initialMetadata) }
        if let initialMetadata, error.initialMetadata.isEmpty {
            error.initialMetadata = initialMetadata
        }
        error.timeline = times.timeline
        if let duration = error.timeline?.duration {
            error.note(waited: duration, method: head.path)
        } else {
            error.method = head.path
        }
        if error.peer == nil, let peer = times.connection?.peer { error.peer = peer }
        return error
    }
}

// MARK: - The order of deliveries

extension CallCore.State {
    /// Whether there may be something to deliver, or a window to return.
    var hasDeliveries: Bool {
        outbound.hasReports || inbound.hasMessages || inbound.returnableByteCount > 0
            || lifetime.hasEnd || inbound.hasUndeliveredMetadata
    }

    /// The first delivery, if no other thread is delivering.
    mutating func beginDelivering() -> CallCore.Delivery? {
        lifetime.deliverer.begin() ? continueDelivering() : nil
    }

    /// The next delivery of the thread that is delivering; nil ends its turn.
    fileprivate mutating func continueDelivering() -> CallCore.Delivery? {
        let next = nextDelivery()
        return lifetime.deliverer.next(next)
    }

    private mutating func nextDelivery() -> CallCore.Delivery? {
        switch lifetime.endIsImmediate {
        case true?: return takeEnd()
        case false? where isWholeResponse: return takeResponse()
        default: break
        }
        guard let observer = lifetime.observer else { return nil }
        if let metadata = inbound.takeInitialMetadata() {
            return .initialMetadata(observer, metadata)
        }
        // If the end is delivered next, losses are not reported before it: the end reports them as
        // well, and a writer that answers each loss with another message must not delay the end.
        let includesLosses = !lifetime.hasEnd || inbound.hasMessages
        if let wasAccepted = outbound.takeReport(includingLosses: includesLosses) {
            return .written(observer, wasAccepted: wasAccepted)
        }
        if inbound.canDeliverMessage {
            if observer.keepsMessages, inbound.isUncompressed {
                return .messages(observer, inbound.takeAllMessages())
            }
            if let (message, compression) = inbound.takeMessage() {
                return .message(observer, message, compression)
            }
        }
        return lifetime.hasEnd && !inbound.hasMessages ? takeEnd() : nil
    }

    private var isWholeResponse: Bool {
        lifetime.acceptsWholeResponse && !outbound.hasWriteReports && inbound.isWholeResponse
    }

    private mutating func takeResponse() -> CallCore.Delivery? {
        guard let (observer, received) = lifetime.takeEnd() else { return nil }
        var response = inbound.takeResponse()
        complete(&response.end, with: received)
        return .response(observer, response)
    }

    private mutating func takeEnd() -> CallCore.Delivery? {
        guard let (observer, received) = lifetime.takeEnd() else { return nil }
        var end = CallEnd(error: nil)
        complete(&end, with: received)
        return .end(observer, end)
    }

    /// Sets everything that the observer receives with the end of the call.
    ///
    /// The declaration avoids copies. The function is `mutating`, although it does not change the
    /// state: the compiler would copy the whole state if the function only read it. The end is
    /// `inout`: the compiler would copy an end that the function returns.
    private mutating func complete(_ end: inout CallEnd, with received: consuming ResponseEnd) {
        end.error = received.error
        end.trailers = received.trailers
        end.compressedMessages = inbound.compressedMessages
        end.times = times
        end.httpStatus = inbound.httpStatus
        end.dropsUnread = received.isImmediate
    }

    /// The bytes to return to the stream's window; none if the call has ended.
    mutating func takeReturnable() -> Consumption {
        lifetime.isOver ? Consumption() : inbound.takeReturnable()
    }
}
