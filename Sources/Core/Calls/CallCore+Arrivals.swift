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
    package func receive(_ octets: Span<UInt8>) -> Int {
        receive(octets, [0..<octets.count], 0..<1, isFollowed: false)
    }

    /// Pieces of the response's body, of which each is a range of `octets`.
    func receive(
        _ octets: Span<UInt8>, _ pieces: [Range<Int>], _ indices: Range<Int>, isFollowed: Bool
    ) -> Int {
        let (failure, returnable): (RPCError?, Int) = state.withLock { state in
            guard !state.isOver else { return (nil, 0) }
            do throws(RPCError) {
                for index in indices {
                    let piece = octets.extracting(pieces[index])
                    state.unreturnedByteCount += piece.count
                    state.times.receivedByteCount += piece.count
                    if head.plain != nil {
                        try state.addPlain(piece, maxByteCount: head.maxReceiveByteCount)
                    } else {
                        try state.assemble(piece)
                    }
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
    package func receive(
        trailers: consuming CallEnd, at now: MonotonicInstant
    ) {
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
        if isTruncated, trailers.error == nil {
            let error = RPCError(.internal, "the response ended inside a message")
            return end(with: error, isImmediate: false)
        }
        finishUp(trailers, isImmediate: false)
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
        var held = messages.byteCount + keptByteCount
        if demand == 0 { held += assembler.pendingByteCount }
        let byteCount = unreturnedByteCount - held
        guard byteCount >= Self.returnedAtOnce || (byteCount > 0 && demand > 0) else { return 0 }
        unreturnedByteCount = held
        return byteCount
    }
}

// MARK: - Delivery

extension CallCore {
    /// Something to tell, and whom. It is moved and never copied: most of its cases are large.
    fileprivate enum Delivery: ~Copyable {
        case nothing
        case initialMetadata(any CallObserver, Metadata)
        case message(any CallObserver, AssembledMessage, CompressionAlgorithm)
        case messages(any CallObserver, MessageQueue)
        case written(any CallObserver)
        case end(any CallObserver, CallEnd)
    }

    /// Tells the observer what there is to tell. One thread at a time: who comes while another
    /// is at it leaves it to that one, which looks again after each delivery.
    func deliver() {
        var isMine = false
        while true {
            let next = state.withLock { state in
                if !isMine {
                    guard !state.isDelivering else { return Delivery.nothing }
                    isMine = true
                }
                let next = state.nextDelivery()
                state.isDelivering = !next.isNothing
                return next
            }
            switch consume next {
            case .nothing: return
            case .initialMetadata(let observer, let metadata):
                observer.receive(initialMetadata: metadata)
            case .message(let observer, let message, let algorithm):
                do throws(RPCError) {
                    observer.receive(message: try octets(of: message, algorithm))
                } catch {
                    endInstead(with: error)
                }
            case .messages(let observer, var messages): observer.receive(messages: &messages)
            case .written(let observer): observer.messageWasWritten()
            case .end(let observer, let end): observer.receive(end: complete(end))
            }
        }
    }
}

extension CallCore.Delivery {
    fileprivate var isNothing: Bool {
        switch self {
        case .nothing: true
        default: false
        }
    }
}

extension CallCore {
    /// The end with what is known of the way there.
    private func complete(_ end: consuming CallEnd) -> CallEnd {
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
    fileprivate mutating func nextDelivery() -> CallCore.Delivery {
        guard let observer else { return .nothing }
        if ending?.isImmediate == true { return tellEnd(observer) }
        if let initialMetadata, !initialWasTold {
            initialWasTold = true
            return .initialMetadata(observer, initialMetadata)
        }
        if unreportedWriteCount > 0 {
            unreportedWriteCount -= 1
            return .written(observer)
        }
        if demand > 0, !messages.isEmpty {
            if observer.keepsMessages, messages.isPlain { return giveAll(observer) }
            demand -= 1
            if let message = messages.popFirst() {
                return .message(observer, message, decompression)
            }
        }
        if ending != nil, messages.isEmpty { return tellEnd(observer) }
        return .nothing
    }

    /// The first was asked for; the others may lie with the observer as well as here.
    private mutating func giveAll(_ observer: any CallObserver) -> CallCore.Delivery {
        demand -= min(demand, messages.count)
        keptByteCount += messages.byteCount - messages.firstByteCount
        return .messages(observer, messages.takeAll())
    }

    private mutating func tellEnd(_ observer: any CallObserver) -> CallCore.Delivery {
        guard var ending = ending.take() else { return .nothing }
        self.observer = nil
        ending.end.dropsUnread = ending.isImmediate
        return .end(observer, ending.end)
    }
}
