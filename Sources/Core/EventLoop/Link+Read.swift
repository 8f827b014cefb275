package import SwiftletTransport
import Synchronization

/// What the reading side of a link keeps from read to read.
struct LinkReader: ~Copyable {
    var buffer: ReceiveBuffer
    var arrivals = LinkArrivals()
    /// The message whose frames are read past the buffer.
    var placed: PlacedMessage?
    var expectation = FrameExpectation()
    /// Whether the handshake, if there is one, was done at the last look.
    var isOpen = false

    /// - Parameter maxFrameByteCount: The largest frame that the server was told it may send.
    init(maxFrameByteCount: Int) {
        let frame = maxFrameByteCount + FrameHeader.byteCount
        buffer = ReceiveBuffer(maximumByteCount: max(ReceiveBuffer.turnByteCount, frame))
    }
}

extension Link: Pollable {
    package func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        if readiness.contains(.writable) { becameWritable() }
        if readiness.contains(.readable) || readiness.contains(.hungUp) {
            read(untilEmpty: readiness.contains(.hungUp), now: now)
        }
    }

    /// Reads what is left of a connection that cannot be written to any more. That is no more than
    /// the system keeps for a socket; a peer that goes on for ever all the same is cut off.
    func readAll(now: MonotonicInstant) { read(untilEmpty: true, isShared: false, now: now) }

    private func read(untilEmpty: Bool, isShared: Bool = true, now: MonotonicInstant) {
        guard var reader = reader.withLock({ $0.take() }) else {
            missedRead.bitwiseOr(untilEmpty ? Self.missedHangUp : Self.missed, ordering: .relaxed)
            return
        }
        reader.buffer.adopt(loop.takeReceiveMemory())
        var failure: LinkError?
        var isOver = false
        var byteCount = 0
        while !isOver {
            do throws(LinkError) {
                let outcome: LinkWire.ReadOutcome
                if let read = try readPlaced(&reader, now: now) {
                    outcome = read.outcome
                    byteCount += read.byteCount
                } else {
                    outcome = try wire.read(into: &reader.buffer)
                }
                if !reader.isOpen, wire.isOpen {
                    reader.isOpen = true
                    if wire.isSecure { state.withLock { $0.times.secured = now } }
                    becameWritable()
                }
                if outcome != .nothing {
                    // A read that brings nothing counts as well: TLS records may be empty.
                    byteCount += max(reader.buffer.count, 1_024)
                    receive(&reader, now: now)
                }
                // A server that goes on sending is not listened to.
                if state.withLock({ $0.ending != nil }) { break }
                switch outcome {
                case .more where isShared && byteCount >= ReceiveBuffer.turnByteCount:
                    // A server that sends faster than this reads must not stop the others.
                    loop.readAgain(self, untilEmpty: untilEmpty)
                    isOver = true
                case .more where byteCount >= 64 * ReceiveBuffer.turnByteCount: isOver = true
                case .more: break
                case .last: isOver = !untilEmpty
                case .nothing: isOver = true
                case .endOfStream:
                    isOver = true
                    failure = LinkError(phase: .http2, cause: endOfStream)
                }
            } catch {
                isOver = true
                failure = error
            }
        }
        reader.buffer.endTurn()
        loop.keepReceiveMemory(reader.buffer.takeMemory())
        putBack(reader, untilEmpty: untilEmpty)
        if let failure { end(with: failure) }
    }

    private var endOfStream: String {
        let wasReady = state.withLock { $0.isReady }
        guard !wasReady, !wire.isSecure else { return "the peer closed the connection" }
        return "the peer closed the connection without a word of HTTP/2; it may want TLS"
    }

    private static let missed = 1
    private static let missedHangUp = 3

    private func putBack(_ reader: consuming LinkReader, untilEmpty: Bool) {
        var returned: LinkReader? = reader
        self.reader.withLock { swap(&$0, &returned) }
        // A handler has turned the loop from within.
        let missed = missedRead.exchange(0, ordering: .relaxed)
        guard missed != 0 else { return }
        loop.readAgain(self, untilEmpty: untilEmpty || missed == Self.missedHangUp)
    }

    /// Tells what came of something else than a read.
    func tellEvents() {
        guard var reader = reader.withLock({ $0.take() }) else {
            missedRead.bitwiseOr(Self.missed, ordering: .relaxed)
            return
        }
        receive(&reader, now: .now)
        putBack(reader, untilEmpty: false)
    }

    /// Hands what lies in the buffer to the engine, and what comes of it to the calls.
    private func receive(_ reader: inout LinkReader, now: MonotonicInstant) {
        var offset = 0
        reader.buffer.withUnread { octets in
            let openCount = state.withLock { state in
                let openCount = state.callCount
                // Once the connection has ended, there are no entries for what still arrives.
                while state.ending == nil,
                    let event = state.connection.receive(octets, at: &offset, now: now)
                {
                    state.takeDown(event, self, into: &reader.arrivals)
                }
                return openCount
            }
            loop.hasRead(answerCount: reader.arrivals.list.count, openCount: openCount)
            tell(&reader.arrivals, octets, now: now)
        }
        reader.arrivals.removeAll()
        reader.buffer.consume(offset)
        beginPlacing(&reader, now: now)
        poll(now: now)
        let (hasOutput, isLeft, hasRoom) = state.withLock { state in
            state.recentCallCount = max(state.callCount, state.recentCallCount * 7 / 8)
            return (
                state.connection.hasOutput,
                state.connection.isDraining && state.callCount == 0 && state.ending == nil,
                state.takeRoomReport()
            )
        }
        if hasOutput { flushSoon() }
        if isLeft { endIfLeft() }
        if hasRoom { tellOwner { $0.linkHasRoom(self) } }
    }

    private func tell(
        _ arrivals: inout LinkArrivals, _ octets: Span<UInt8>, now: MonotonicInstant
    ) {
        var list: [LinkArrivals.Arrival] = []
        arrivals.swapList(with: &list)
        for index in list.indices {
            let call = list[index].call.take()
            if let news = list[index].news.take() {
                tell(news, to: call, now: now)
            } else if let call, let stream = list[index].stream {
                let byteCount = call.receive(
                    &list[index].content, octets, arrivals.pieces, at: now)
                guard byteCount > 0 else { continue }
                state.withLock { $0.connection.consumed(stream, by: byteCount, now: now) }
            }
        }
        arrivals.swapList(with: &list)
    }

    private func tell(_ news: LinkArrivals.News, to call: CallCore?, now: MonotonicInstant) {
        switch news {
        case .unprocessed:
            call?.streamWasNotProcessed(
                leaving("\(peer) went away before it saw the request"))
        case .refused:
            call?.streamWasNotProcessed(
                RPCError(.unavailable, "\(peer) refused the stream of the request").notExecuted)
        case .unsent:
            call?.streamWasNotProcessed(
                wasSent: false, leaving("\(peer) went away before the request could be sent"))
        case .ready:
            let isDraining = state.withLock { state in
                state.isReady = true
                state.times.ready = now
                state.record = ConnectionRecord(peer: peer, state.times)
                return state.connection.isDraining
            }
            // A server that takes its first word back with the next is not there for calls.
            if !isDraining { tellOwner { $0.linkIsReady(self) } }
        case .goAway(let frame): tellOwner { $0.linkIsLeaving(self, frame) }
        case .ended(let error): end(with: error)
        }
    }

    private func leaving(_ message: String) -> RPCError {
        var error = RPCError(.unavailable, message).notExecuted
        error.phase = .http2
        error.peer = peer
        error.causes = state.withLock { $0.goAway }.map { [$0] } ?? []
        return error
    }
}

extension Link.State {
    /// Translates an event of the engine while its header fields are at hand.
    mutating func takeDown(
        _ event: consuming Connection.Event, _ link: Link, into arrivals: inout LinkArrivals
    ) {
        switch consume event {
        case .headers(let stream, let meaning, let endStream):
            takeDownHeaders(stream, meaning, endStream, into: &arrivals)
        case .data(let stream, let range, let endStream):
            takeDownData(stream, range, endStream, into: &arrivals)
        case .reset(let stream, let code):
            guard let call = removeCall(of: stream) else { return }
            if code == .refusedStream {
                arrivals.append(.refused, for: call)
            } else {
                let isLate = code == .cancel && call.deadline.remaining == .zero
                let error = StatusMapping.error(
                    forReset: code, peer: link.peer, isLate: isLate)
                arrivals.append(end: .failed(error), on: stream, for: call)
            }
        case .streamFailed(let stream, let error):
            guard let call = removeCall(of: stream) else { return }
            let failure = StatusMapping.error(for: error, peer: link.peer)
            arrivals.append(end: .failed(failure), on: stream, for: call)
        case .unprocessed(let stream):
            guard let call = removeCall(of: stream) else { return }
            arrivals.append(.unprocessed, for: call)
        case .unsent(let stream):
            guard let call = removeCall(of: stream) else { return }
            arrivals.append(.unsent, for: call)
        case .ready: arrivals.append(.ready)
        case .goAway(let frame):
            goAway = "\(frame)"
            arrivals.append(.goAway(frame))
        case .pingAnswered: break
        case .failed(let error):
            arrivals.append(.ended(LinkError(phase: .http2, cause: "\(error)")))
        }
    }

    private mutating func takeDownHeaders(
        _ stream: StreamHandle, _ meaning: StreamState.HeadersMeaning, _ endStream: Bool,
        into arrivals: inout LinkArrivals
    ) {
        let slot = Int(stream.slot)
        guard entries[slot].call != nil else { return }
        let isPlain = entries[slot].isPlain
        if !isPlain, meaning == .trailers || endStream {
            return endCall(
                stream, responseTrailers(httpStatus: entries[slot].httpStatus), into: &arrivals)
        }
        if meaning != .trailers, let call = entries[slot].call {
            let head =
                isPlain ? PlainExchange.initial(connection.receivedHeaders) : responseHead()
            if case .accepted(let httpStatus, _, _) = head { entries[slot].httpStatus = httpStatus }
            arrivals.append(initial: head, on: stream, for: call)
        }
        if endStream { endCall(stream, CallEnd(error: nil), into: &arrivals) }
    }

    /// What the headers that have come say, or said when they came before.
    private mutating func responseHead() -> ResponseHead.Initial {
        let id = connection.receivedHeadersID
        if let id, knownHead?.id == id, let head = knownHead?.meaning { return head }
        let head = ResponseHead.initial(connection.receivedHeaders)
        if let id { knownHead = Link.Known(id: id, meaning: head) }
        return head
    }

    /// The same of trailers, whose meaning lies in them alone when they say that all went well.
    private mutating func responseTrailers(httpStatus: Int?) -> CallEnd {
        let id = connection.receivedHeadersID
        if let id, knownTrailers?.id == id, let end = knownTrailers?.meaning { return end }
        let end = ResponseHead.trailers(connection.receivedHeaders, httpStatus: httpStatus)
        if let id, end.error == nil { knownTrailers = Link.Known(id: id, meaning: end) }
        return end
    }

    private mutating func takeDownData(
        _ stream: StreamHandle, _ range: Range<Int>, _ endStream: Bool,
        into arrivals: inout LinkArrivals
    ) {
        let slot = Int(stream.slot)
        guard entries[slot].call != nil else { return }
        if !range.isEmpty { arrivals.append(data: range, on: stream, for: entries[slot].call) }
        guard endStream else { return }
        let trailers =
            entries[slot].isPlain
            ? CallEnd(error: nil)
            : ResponseHead.trailers(HeaderList(), httpStatus: entries[slot].httpStatus)
        endCall(stream, trailers, into: &arrivals)
    }

    private mutating func endCall(
        _ stream: StreamHandle, _ trailers: consuming CallEnd, into arrivals: inout LinkArrivals
    ) {
        guard let call = removeCall(of: stream) else { return }
        // The server has said all it will say; a request that is still being sent is of no use.
        connection.reset(stream, .noError)
        arrivals.append(end: .trailers(trailers), on: stream, for: call)
    }
}

// MARK: - The end

extension Link {
    /// Ends the connection and every call on it. The first to come is the one that counts.
    ///
    /// - Parameter ifLeft: Only when nothing keeps it any more.
    package func end(with error: LinkError, ifLeft: Bool = false) {
        var error = error
        var last = GatherList()
        let calls: State.Calls? = state.withLock { state in
            guard state.ending == nil, !ifLeft || state.isLeft else { return nil }
            error.goAway = state.goAway
            state.ending = error
            let calls = state.calls
            if !state.turn.isWriting {
                swap(&last, &state.unwritten)
                state.connection.takeOutput(into: &last, opensStreams: false)
            }
            defer { state.entries = [] }
            state.callCount = 0
            return calls
        }
        guard let calls else { return }
        // A GOAWAY that can leave now does; nobody waits for it.
        _ = try? wire.write(&last)
        wire.close(on: loop)
        if let timer = state.withLock({ $0.takeTimer() }) { loop.cancel(timer) }
        let failure = StatusMapping.error(forLost: error, peer: peer)
        for call in calls.begun { call.end(with: failure, isImmediate: false) }
        // Before the owner is told, who ends when nothing is left that waits for a connection.
        for call in calls.inLine {
            if error.isNetworkLoss {
                call.end(with: failure, isImmediate: false)
            } else {
                call.streamWasNotProcessed(wasSent: false, failure.notExecuted)
            }
        }
        tellOwner { $0.linkEnded(self, error) }
    }
}

extension Link.State {
    struct Calls {
        var begun: [CallCore] = []
        /// Those of which nothing has been sent, because the server allows no more streams.
        var inLine: [CallCore] = []
    }

    var calls: Calls {
        var calls = Calls()
        for entry in entries {
            guard let call = entry.call, let stream = entry.stream else { continue }
            if connection.isInLine(stream) {
                calls.inLine.append(call)
            } else {
                calls.begun.append(call)
            }
        }
        return calls
    }
}
