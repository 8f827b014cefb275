package import SwiftletTransport
import Synchronization

// What the connection brings.

extension CallCore {
    /// The response's headers.
    ///
    /// - Parameter isFollowed: More comes at once, and then the observer is told of all of it.
    package func receive(
        initial outcome: ResponseHead.Initial, at now: MonotonicInstant, isFollowed: Bool = false
    ) {
        switch outcome {
        case .accepted(let httpStatus, let encoding, let metadata):
            state.withLock { state in
                state.log.commit()
                state.times.firstByte = now
                state.httpStatus = httpStatus
                state.decompression = encoding
                state.initialMetadata = metadata
            }
            if !isFollowed { deliver() }
        case .refused(let error):
            end(with: error, isImmediate: false)
        }
    }

    /// A piece of the response's body. Returns how many octets the stream's window can be given
    /// back for at once.
    package func receive(_ octets: Span<UInt8>, isFollowed: Bool = false) -> Int {
        let (failure, returnable): (RPCError?, Int) = state.withLock { state in
            guard !state.isOver else { return (nil, 0) }
            state.unreturnedByteCount += octets.count
            state.times.receivedByteCount += octets.count
            do throws(RPCError) {
                if head.plain != nil {
                    try state.addPlain(octets, maxByteCount: head.maxReceiveByteCount)
                } else {
                    try state.assemble(octets)
                }
                return (nil, isFollowed ? state.takeReturnable() : 0)
            } catch {
                return (error, 0)
            }
        }
        if let failure { end(with: failure, isImmediate: true) }
        if isFollowed, failure == nil { return returnable }
        deliver()
        return state.withLock { $0.takeReturnable() }
    }

    /// The response's trailers, or its end without any.
    package func receive(trailers: ResponseHead.Trailers, at now: MonotonicInstant) {
        let isTruncated = state.withLock { state in
            if state.times.firstByte == nil { state.times.firstByte = now }
            state.times.lastByte = now
            if head.plain != nil, !state.isOver {
                state.messages.append(
                    AssembledMessage(octets: state.plainBody, isCompressed: false))
                state.plainBody = []
            }
            return state.assembler.isInsideMessage
        }
        if isTruncated, trailers.end.error == nil {
            let error = RPCError(.internal, "the response ended inside a message")
            return end(with: error, isImmediate: false)
        }
        finishUp(trailers.end, isImmediate: false)
    }

    var httpStatus: Int? { state.withLock { $0.httpStatus } }

    /// Gives the window back for what was read in the meantime.
    func returnWindow() {
        let returned: (any StreamCarrier, StreamHandle, Int)? = state.withLock { state in
            guard case .attached(let carrier, let stream) = state.stage else { return nil }
            let byteCount = state.takeReturnable()
            return byteCount > 0 ? (carrier, stream, byteCount) : nil
        }
        if let (carrier, stream, byteCount) = returned {
            carrier.consumed(byteCount, on: stream)
        }
    }
}

extension CallCore.State {
    /// Below this much, giving back waits for more: each time takes the connection's lock.
    private static let returnedAtOnce = 8 << 10

    /// A compressed message stays as it came until it is asked for: a few octets that nobody reads
    /// must not become megabytes.
    mutating func addPlain(_ octets: Span<UInt8>, maxByteCount: Int?) throws(RPCError) {
        if let maxByteCount, plainBody.count + octets.count > maxByteCount {
            throw RPCError(
                .resourceExhausted,
                "the server sent an answer above the limit of \(maxByteCount) octets")
        }
        plainBody.append(copying: octets)
    }

    mutating func assemble(_ octets: Span<UInt8>) throws(RPCError) {
        var offset = 0
        while let message = try assembler.next(in: octets, at: &offset) {
            if message.isCompressed, receivedMessageCount < 64 {
                compressedMessages |= 1 << receivedMessageCount
            }
            receivedMessageCount &+= 1
            messages.append(message)
        }
    }

    /// What has been read, and what is being read: of a message that somebody waits for, every
    /// octet makes room for the next. Messages that nobody has asked for hold their window.
    mutating func takeReturnable() -> Int {
        var held = messages.byteCount
        if demand == 0 { held += assembler.pendingByteCount }
        let byteCount = unreturnedByteCount - held
        guard byteCount >= Self.returnedAtOnce || (byteCount > 0 && demand > 0) else { return 0 }
        unreturnedByteCount = held
        return byteCount
    }
}

// MARK: - Delivery

extension CallCore {
    fileprivate enum Delivery {
        case initialMetadata(Metadata)
        case message(AssembledMessage, CompressionAlgorithm)
        case written
        case end(CallEnd)
    }

    /// Tells the observer what there is to tell. One thread at a time: who comes while another
    /// is at it leaves it to that one, which looks again after each delivery.
    func deliver() {
        var isMine = false
        while true {
            let next: (Delivery, any CallObserver)? = state.withLock { state in
                if !isMine {
                    guard !state.isDelivering else { return nil }
                    state.isDelivering = true
                    isMine = true
                }
                guard let observer = state.observer, let delivery = state.nextDelivery() else {
                    state.isDelivering = false
                    return nil
                }
                if case .end = delivery { state.observer = nil }
                return (delivery, observer)
            }
            guard let (delivery, observer) = next else { return }
            switch delivery {
            case .initialMetadata(let metadata): observer.receive(initialMetadata: metadata)
            case .message(let message, let algorithm):
                do throws(RPCError) {
                    observer.receive(message: try octets(of: message, algorithm))
                } catch {
                    endInstead(with: error)
                }
            case .written: observer.messageWasWritten()
            case .end(let end): observer.receive(end: complete(end))
            }
        }
    }
}

extension CallCore {
    /// The end with what is known of the way there.
    private func complete(_ end: CallEnd) -> CallEnd {
        var end = end
        end.call = self
        guard var error = end.error else { return end }
        let (times, initialMetadata) = state.withLock { ($0.times, $0.initialMetadata) }
        if let initialMetadata, error.initialMetadata.isEmpty {
            error.initialMetadata = initialMetadata
        }
        error.timeline = times.timeline
        if let duration = error.timeline?.duration { error.waited = duration }
        if error.peer == nil, let peer = times.connection?.peer { error.peer = peer }
        end.error = error
        return end
    }

    /// Outside the lock, because inflating takes its time.
    private func octets(
        of message: AssembledMessage, _ algorithm: CompressionAlgorithm
    ) throws(RPCError) -> [UInt8] {
        guard message.isCompressed else { return message.octets }
        return try Decompressor.decompress(
            message.octets, algorithm, maxByteCount: head.maxReceiveByteCount)
    }

    /// Ends the call, or takes the place of an end that came behind the message and has not been
    /// told yet.
    func endInstead(with error: RPCError) {
        let isReplaced = state.withLock { state in
            guard let ending = state.ending, !ending.isImmediate else { return false }
            state.messages.removeAll()
            state.ending = Ending(
                end: CallEnd(error: error, trailers: ending.end.trailers), isImmediate: true)
            return true
        }
        if !isReplaced { end(with: error, isImmediate: true) }
    }
}

extension CallCore.State {
    fileprivate mutating func nextDelivery() -> CallCore.Delivery? {
        if let ending, ending.isImmediate { return .end(ending.end) }
        if let initialMetadata, !initialWasTold {
            initialWasTold = true
            return .initialMetadata(initialMetadata)
        }
        if unreportedWriteCount > 0 {
            unreportedWriteCount -= 1
            return .written
        }
        if demand > 0, let message = messages.popFirst() {
            demand -= 1
            return .message(message, decompression)
        }
        if let ending, messages.isEmpty { return .end(ending.end) }
        return nil
    }
}
