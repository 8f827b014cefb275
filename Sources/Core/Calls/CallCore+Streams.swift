package import SwiftletTransport
import Synchronization

// The streams that carry a call, one after the other.

extension CallCore {
    /// The request so far, for a stream that is about to be opened; nil if the call has ended.
    package func takeRequest() -> RequestLog.Portion? {
        state.withLock { $0.lifetime.isSeeking ? $0.outbound.beginOpening() : nil }
    }

    /// The call has a stream. Sends the messages that were written since ``takeRequest()``.
    ///
    /// - Parameter attempt: The number of the attempt that ``takeRequest()`` returned. If the server
    ///   has refused this stream in the meantime, the number is no longer the current one. The
    ///   function then resets the stream and returns false.
    /// - Returns: Whether the caller must call ``deliverPending()``.
    package func attach(
        to carrier: any StreamCarrier, _ stream: StreamHandle, _ record: ConnectionRecord,
        attempt: Int
    ) -> Bool {
        while true {
            enum Next: ~Copyable {
                case send(RequestLog.Portion), done(hasDeliveries: Bool), isOver
            }
            let next: Next = state.withLock { state in
                guard state.lifetime.isSeeking, state.outbound.attempt == attempt
                else { return .isOver }
                if let portion = state.outbound.takePortion() { return .send(portion) }
                state.lifetime.attach(carrier, stream, record)
                state.outbound.attached()
                return .done(hasDeliveries: state.hasDeliveries)
            }
            switch consume next {
            case .send(var portion):
                portion.takeEach { message, _ in
                    _ = carrier.send(message, on: stream, andFinish: false)
                }
                if portion.isFinish { carrier.finish(stream) }
            case .isOver:
                carrier.reset(stream)
                return false
            case .done(let hasDeliveries): return hasDeliveries
            }
        }
    }

    /// Delivers the events that have arrived since the last delivery.
    package func deliverPending() {
        deliver()
        returnWindow()
    }

    /// The stream that ``takeRequest()`` was called for could not be opened.
    package func requestWasNotSent() { state.withLock { $0.outbound.openingFailed() } }

    /// The server did not process the stream. The call is sent again on another stream if possible,
    /// and otherwise ends with `cause`.
    ///
    /// - Parameter wasSent: False if nothing of the request was sent, so that the call can be sent
    ///   again any number of times.
    package func streamWasNotProcessed(
        wasSent: Bool = true, _ cause: RPCError
    ) {
        enum Next { case seek(CallTrackers), fail(isAnswered: Bool), isOver }
        var tally: CallTally?
        let next: Next = state.withLock { state in
            guard !state.lifetime.isOver else { return .isOver }
            if meter != nil { tally = state.tally }
            let mayResend = state.outbound.prepareResend(
                wasSent: wasSent,
                isGranted: state.lifetime.observer?.mayBeSentAgain() ?? false)
            guard mayResend else {
                return .fail(isAnswered: state.lifetime.isAnswered)
            }
            state.lifetime.seekAgain()
            return .seek(state.lifetime.takeTrackers())
        }
        switch next {
        case .isOver: break
        case .seek(let trackers):
            // This server has failed the call, whatever the next one does.
            if !trackers.isEmpty {
                TrackedEnd(trackers: trackers, code: cause.code, wasSent: wasSent).report()
            }
            if let meter, let tally { meter.isSentAgain(after: cause, tally) }
            backend.begin(self)
        case .fail(let isAnswered):
            var error = cause
            // If the server has answered, it has received the request, even if it later reports
            // otherwise.
            if isAnswered { error.mayHaveBeenExecuted = true }
            attemptFailed(with: error)
        }
    }

    package func streamHasRoom() {
        state.withLock { $0.outbound.reportRoom() }
        deliver()
    }

    /// Returns the window of the bytes that were consumed.
    func returnWindow() {
        let returned: (any StreamCarrier, StreamHandle, Consumption)? = state.withLock { state in
            guard case .attached(let carrier, let stream) = state.lifetime.stage else { return nil }
            let consumption = state.inbound.takeReturnable()
            return consumption.isEmpty ? nil : (carrier, stream, consumption)
        }
        if let (carrier, stream, consumption) = returned {
            carrier.consumed(consumption, on: stream)
        }
    }
}

// MARK: - Measuring

extension CallCore.State {
    var tally: CallTally {
        // See `complete(_:with:)`.
        mutating get {
            CallTally(
                streamCount: lifetime.streamCount, sentByteCount: outbound.messageByteCount,
                receivedByteCount: inbound.messageByteCount, times: times)
        }
    }
}

extension CallCore {
    /// A message as it is sent on the stream.
    func frame(
        _ message: consuming EncodedMessage, allowsCompression: Bool = true
    ) throws(RPCError) -> EncodedMessage {
        guard let meter, meter.measuresMessages else {
            return try head.frame(message, allowsCompression: allowsCompression)
        }
        let byteCount = message.byteCount - MessagePrefix.byteCount
        let framed = try head.frame(message, allowsCompression: allowsCompression)
        meter.sent(
            MessageSize(
                byteCount: byteCount,
                wireByteCount: framed.byteCount - head.framing.prefixByteCount))
        return framed
    }

    /// Reports a message of the response to the meter.
    func noteReceived(_ byteCount: Int, wireByteCount: Int) {
        guard let meter, meter.measuresMessages else { return }
        meter.received(MessageSize(byteCount: byteCount, wireByteCount: wireByteCount))
    }

    /// Reports messages that are not compressed.
    func noteReceived(_ messages: borrowing MessageQueue) {
        guard let meter, meter.measuresMessages else { return }
        messages.forEach { message in
            let byteCount = message.bytes.count
            meter.received(MessageSize(byteCount: byteCount, wireByteCount: byteCount))
        }
    }
}
