package import SwiftletTransport
import Synchronization

// What the connection brings.

/// What has come for a call in one go, in the order of the protocol.
package struct CallArrival {
    package enum End {
        /// The response's trailers, or its end without any.
        case trailers(CallEnd)
        case failed(RPCError)
    }

    package var initial: ResponseHead.Initial?
    /// Of the body: which of the pieces of what was read.
    var pieces = 0..<0
    package var end: End?

    package init(initial: ResponseHead.Initial? = nil, end: End? = nil) {
        self.initial = initial
        self.end = end
    }
}

extension CallCore {
    /// Takes what has come, and tells the observer of all of it. Returns how many octets the
    /// stream's window can be given back for at once.
    ///
    /// Who carries the call has let go of its stream when this brings the end.
    @discardableResult
    package func receive(
        _ arrival: consuming CallArrival, at now: MonotonicInstant
    ) -> Int {
        var arrival = arrival
        return receive(&arrival, Span(), [], at: now)
    }

    /// A piece of the response's body.
    package func receive(_ octets: Span<UInt8>, at now: MonotonicInstant) -> Int {
        var arrival = CallArrival()
        arrival.pieces = 0..<1
        return receive(&arrival, octets, [0..<octets.count], at: now)
    }

    /// - Parameters:
    ///   - octets: What was read.
    ///   - pieces: Ranges of it, to some of which the arrival refers.
    func receive(
        _ arrival: inout CallArrival, _ octets: Span<UInt8>, _ pieces: [Range<Int>],
        at now: MonotonicInstant
    ) -> Int {
        let hasBody = !arrival.pieces.isEmpty
        var taken = state.withLock { $0.take(&arrival, octets, pieces, isPlain: head.isPlain, now) }
        if let timer = taken.timer.take() { loop.cancel(timer) }
        if let (carrier, stream) = taken.abandoned.take() { carrier.reset(stream) }
        return deliver(taken.delivery, returnsWindow: !taken.isOver && hasBody)
    }

    /// Lends the message that is arriving, to be read into, and says how much of it is missing. Nil
    /// when that is too little, or nobody wants it.
    ///
    /// - Parameter arrived: So much is there to be added to it.
    func lendMessage(missing: Int, arrived: Int) -> (octets: [UInt8], missing: Int)? {
        guard !head.isPlain else { return nil }
        return state.withLock { state in
            state.isOver ? nil : state.assembler.lend(missing: missing, arrived: arrived)
        }
    }

    /// Takes back what was lent with what was read into it.
    ///
    /// - Parameter byteCount: The frames' octets that have become whole with it.
    /// - Returns: How many octets the stream's window can be given back for at once.
    func receive(placed octets: consuming [UInt8], wholeFrames byteCount: Int) -> Int {
        var octets = octets
        let delivery = state.withLock { $0.take(placed: &octets, wholeFrames: byteCount) }
        return deliver(delivery, returnsWindow: true)
    }

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
    /// What there is to do when an arrival has been taken, once the lock is let go of.
    fileprivate struct Taken: ~Copyable {
        var timer: TimerHandle?
        /// The stream of a call that has ended before its server knows.
        var abandoned: (any StreamCarrier, StreamHandle)?
        var isOver = false
        var delivery = CallCore.Delivery.nothing
    }

    fileprivate mutating func take(
        _ arrival: inout CallArrival, _ octets: Span<UInt8>, _ pieces: [Range<Int>],
        isPlain: Bool, _ now: MonotonicInstant
    ) -> Taken {
        var taken = Taken()
        guard !isOver else {
            taken.isOver = true
            return taken
        }
        do throws(Refusal) {
            if let initial = arrival.initial.take() { try take(initial, now) }
            for index in arrival.pieces {
                try takeBody(octets.extracting(pieces[index]), isPlain: isPlain)
            }
            if let end = arrival.end.take() {
                (_, taken.timer) = take(end, isPlain: isPlain, now)
                taken.isOver = true
            }
        } catch {
            let (stage, timer) = finish(
                CallEnd(error: error.error), isImmediate: error.isImmediate, at: now)
            if case .attached(let carrier, let stream) = stage {
                taken.abandoned = (carrier, stream)
            }
            taken.timer = timer
            taken.isOver = true
        }
        taken.delivery = beginDelivering()
        return taken
    }

    /// What is wrong with an answer, and whether it outruns the messages before it.
    private struct Refusal: Error {
        var error: RPCError
        var isImmediate: Bool
    }

    private mutating func take(
        _ initial: consuming ResponseHead.Initial, _ now: MonotonicInstant
    ) throws(Refusal) {
        switch consume initial {
        case .accepted(let httpStatus, let encoding, let metadata):
            log.commit()
            times.firstByte = now
            self.httpStatus = httpStatus
            decompression = encoding
            initialMetadata = metadata
        case .refused(let error): throw Refusal(error: error, isImmediate: false)
        }
    }

    private mutating func takeBody(_ piece: Span<UInt8>, isPlain: Bool) throws(Refusal) {
        unreturnedByteCount += piece.count
        times.receivedByteCount += piece.count
        do throws(RPCError) {
            if isPlain { try addPlain(piece) } else { try assemble(piece) }
        } catch {
            throw Refusal(error: error, isImmediate: true)
        }
    }

    private mutating func take(
        _ end: consuming CallArrival.End, isPlain: Bool, _ now: MonotonicInstant
    ) -> (CallCore.Stage, TimerHandle?) {
        if times.firstByte == nil { times.firstByte = now }
        switch consume end {
        case .failed(let error):
            return finish(CallEnd(error: error), isImmediate: false, at: now)
        case .trailers(let end):
            if isPlain {
                messages.append(AssembledMessage(octets: plainBody, isCompressed: false))
                plainBody = []
            }
            guard assembler.isInsideMessage, end.error == nil else {
                return finish(end, isImmediate: false, at: now)
            }
            var error = RPCError(.internal, "the response ended inside a message")
            error.metadata = end.trailers
            return finish(
                CallEnd(error: error, trailers: end.trailers), isImmediate: false, at: now)
        }
    }

    /// Ends the call. Returns where it stood, and the timer that it needs no more.
    mutating func finish(
        _ end: consuming CallEnd, isImmediate: Bool, at now: MonotonicInstant
    ) -> (CallCore.Stage, TimerHandle?) {
        var left = CallCore.Stage.ended
        swap(&left, &stage)
        end.compressedMessages = compressedMessages
        end.httpStatus = httpStatus
        failure = end.error
        ending = CallCore.Ending(end: end, isImmediate: isImmediate)
        if times.lastByte == nil { times.lastByte = now }
        if isImmediate { messages.removeAll() }
        // What was never sent will not be, however long the call stays in line.
        log = RequestLog()
        // A stream that is over makes room no more, and who waits for it must not wait for ever.
        reportLoss()
        return (left, deadlineTimer.take())
    }

    private mutating func addPlain(_ octets: Span<UInt8>) throws(RPCError) {
        if let maxByteCount = assembler.maxByteCount, plainBody.count + octets.count > maxByteCount
        {
            throw RPCError(
                .resourceExhausted,
                "the server sent an answer above the limit of \(maxByteCount) octets")
        }
        plainBody.append(copying: octets)
    }

    private mutating func assemble(_ octets: Span<UInt8>) throws(RPCError) {
        var offset = 0
        while let message = try assembler.next(in: octets, at: &offset) { add(message) }
    }

    /// A compressed message stays as it came until it is asked for: a few octets that nobody reads
    /// must not become megabytes.
    private mutating func add(_ message: consuming AssembledMessage) {
        if message.isCompressed, receivedMessageCount < 64 {
            compressedMessages |= 1 << receivedMessageCount
        }
        receivedMessageCount &+= 1
        messages.append(message)
    }

    fileprivate mutating func take(
        placed octets: inout [UInt8], wholeFrames byteCount: Int
    ) -> CallCore.Delivery {
        guard !isOver else { return .nothing }
        unreturnedByteCount += byteCount
        times.receivedByteCount += byteCount
        if let message = assembler.takeBack(&octets) { add(message) }
        return beginDelivering()
    }

    /// What has been read, and what is being read: the octets of a message that somebody waits for
    /// make room for those that follow. Messages that nobody has asked for hold their window.
    var returnableByteCount: Int {
        var held = messages.byteCount + keptByteCount
        if demand == 0 { held += assembler.pendingByteCount }
        let byteCount = unreturnedByteCount - held
        return byteCount > heldBackByteCount ? byteCount : 0
    }

    mutating func takeReturnable() -> Int {
        guard !isOver else { return 0 }
        let byteCount = returnableByteCount
        unreturnedByteCount -= byteCount
        return byteCount
    }
}
