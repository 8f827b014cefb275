package import SwiftletTransport
import Synchronization

/// What the reading side of a link keeps from read to read.
struct LinkReader: ~Copyable {
    var buffer = ReceiveBuffer()
    var deliveries: [Link.Delivery] = []
    /// Whether the handshake, if there is one, was done at the last look.
    var isOpen = false
}

extension Link {
    /// Something that arrived, taken down under the lock and told after it.
    enum Delivery {
        case initial(CallCore, ResponseHead.Initial)
        case data(CallCore, StreamHandle, Range<Int>)
        case trailers(CallCore, ResponseHead.Trailers)
        case failed(CallCore, RPCError)
        case unprocessed(CallCore)
        case ready
        case goAway(GoAwayFrame)
        case ended(LinkError)
    }
}

extension Link.Delivery {
    /// Whether it tells the same call something more.
    fileprivate func follows(_ other: Link.Delivery) -> Bool {
        guard let call = other.call else { return false }
        return call === self.call
    }

    private var call: CallCore? {
        switch self {
        case .initial(let call, _), .data(let call, _, _), .trailers(let call, _): call
        case .failed, .unprocessed, .ready, .goAway, .ended: nil
        }
    }
}

extension Link: Pollable {
    package func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        if readiness.contains(.writable) { becameWritable() }
        if readiness.contains(.readable) || readiness.contains(.hungUp) {
            read(untilEmpty: readiness.contains(.hungUp), now: now)
        }
    }

    func readAll(now: MonotonicInstant) { read(untilEmpty: true, now: now) }

    private func read(untilEmpty: Bool, now: MonotonicInstant) {
        guard var reader = reader.withLock({ $0.take() }) else { return }
        var failure: LinkError?
        var isOver = false
        var byteCount = 0
        while !isOver {
            do throws(LinkError) {
                let outcome = try wire.read(into: &reader.buffer)
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
                case .more where byteCount >= ReceiveBuffer.turnByteCount:
                    // A server that sends faster than this reads must not stop the others.
                    loop.readAgain(self)
                    isOver = true
                case .more: break
                case .last: isOver = !untilEmpty
                case .nothing: isOver = true
                case .endOfStream:
                    isOver = true
                    failure = LinkError(phase: .http2, cause: "the peer closed the connection")
                }
            } catch {
                isOver = true
                failure = error
            }
        }
        reader.buffer.endTurn()
        var returned: LinkReader? = consume reader
        self.reader.withLock { swap(&$0, &returned) }
        if let failure { end(with: failure) }
    }

    /// Hands what lies in the buffer to the engine, and what comes of it to the calls.
    private func receive(_ reader: inout LinkReader, now: MonotonicInstant) {
        var offset = 0
        reader.buffer.withUnread { octets in
            state.withLock { state in
                // Once the connection has ended, there are no entries for what still arrives.
                while state.ending == nil,
                    let event = state.connection.receive(octets, at: &offset, now: now)
                {
                    state.takeDown(event, self, into: &reader.deliveries)
                }
            }
            for index in reader.deliveries.indices {
                // What comes for one call in one go is told in one go.
                let next = index + 1
                let isFollowed =
                    next < reader.deliveries.count
                    && reader.deliveries[next].follows(reader.deliveries[index])
                tell(reader.deliveries[index], octets, isFollowed: isFollowed, now: now)
            }
        }
        reader.deliveries.removeAll(keepingCapacity: true)
        reader.buffer.consume(offset)
        poll(now: now)
        let (hasOutput, isLeft, hasRoom) = state.withLock { state in
            (
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
        _ delivery: Delivery, _ octets: Span<UInt8>, isFollowed: Bool, now: MonotonicInstant
    ) {
        switch delivery {
        case .initial(let call, let head):
            call.receive(initial: head, at: now, isFollowed: isFollowed)
        case .data(let call, let stream, let range):
            let byteCount = call.receive(octets.extracting(range), isFollowed: isFollowed)
            if byteCount > 0 {
                state.withLock { $0.connection.consumed(stream, by: byteCount, now: now) }
            }
        case .trailers(let call, let trailers): call.receive(trailers: trailers, at: now)
        case .failed(let call, let error): call.end(with: error, isImmediate: false)
        case .unprocessed(let call):
            call.streamWasNotProcessed(
                RPCError(.unavailable, "\(peer) went away before it saw the request"))
        case .ready:
            state.withLock { state in
                state.isReady = true
                state.times.ready = now
                state.record = ConnectionRecord(peer: peer, state.times)
            }
            tellOwner { $0.linkIsReady(self) }
        case .goAway(let frame): tellOwner { $0.linkIsLeaving(self, frame) }
        case .ended(let error): end(with: error)
        }
    }
}

extension Link.State {
    /// Translates an event of the engine while its header fields are at hand.
    fileprivate mutating func takeDown(
        _ event: Connection.Event, _ link: Link, into deliveries: inout [Link.Delivery]
    ) {
        switch event {
        case .headers(let stream, let meaning, let endStream):
            takeDownHeaders(stream, meaning, endStream, into: &deliveries)
        case .data(let stream, let range, let endStream):
            let slot = Int(stream.slot)
            guard let call = entries[slot].call else { return }
            if !range.isEmpty { deliveries.append(.data(call, stream, range)) }
            guard endStream else { return }
            let trailers =
                call.head.plain != nil
                ? ResponseHead.Trailers(end: CallEnd(error: nil))
                : ResponseHead.trailers(HeaderList(), httpStatus: entries[slot].httpStatus)
            endCall(stream, call, trailers, into: &deliveries)
        case .reset(let stream, let code):
            guard let call = removeCall(of: stream) else { return }
            if code == .refusedStream {
                deliveries.append(.unprocessed(call))
            } else {
                let isLate = code == .cancel && call.deadline.remaining == .zero
                deliveries.append(
                    .failed(
                        call,
                        StatusMapping.error(forReset: code, peer: link.peer, isLate: isLate)))
            }
        case .streamFailed(let stream, let error):
            guard let call = removeCall(of: stream) else { return }
            deliveries.append(.failed(call, StatusMapping.error(for: error, peer: link.peer)))
        case .unprocessed(let stream):
            guard let call = removeCall(of: stream) else { return }
            deliveries.append(.unprocessed(call))
        case .ready: deliveries.append(.ready)
        case .goAway(let frame): deliveries.append(.goAway(frame))
        case .pingAnswered: break
        case .failed(let error):
            deliveries.append(.ended(LinkError(phase: .http2, cause: "\(error)")))
        }
    }

    private mutating func takeDownHeaders(
        _ stream: StreamHandle, _ meaning: StreamState.HeadersMeaning, _ endStream: Bool,
        into deliveries: inout [Link.Delivery]
    ) {
        let slot = Int(stream.slot)
        guard let call = entries[slot].call else { return }
        if call.head.plain != nil {
            if meaning != .trailers {
                deliveries.append(
                    .initial(call, PlainExchange.initial(connection.receivedHeaders)))
            }
            guard endStream else { return }
            return endCall(
                stream, call, ResponseHead.Trailers(end: CallEnd(error: nil)), into: &deliveries)
        }
        if meaning == .trailers || endStream {
            let trailers = ResponseHead.trailers(
                connection.receivedHeaders, httpStatus: entries[slot].httpStatus)
            return endCall(stream, call, trailers, into: &deliveries)
        }
        let head = ResponseHead.initial(connection.receivedHeaders)
        if case .accepted(let httpStatus, _, _) = head { entries[slot].httpStatus = httpStatus }
        deliveries.append(.initial(call, head))
    }

    private mutating func endCall(
        _ stream: StreamHandle, _ call: CallCore, _ trailers: ResponseHead.Trailers,
        into deliveries: inout [Link.Delivery]
    ) {
        _ = removeCall(of: stream)
        // The server has said all it will say; a request that is still being sent is of no use.
        connection.reset(stream, .noError)
        deliveries.append(.trailers(call, trailers))
    }
}

// MARK: - The end

extension Link: TimerTarget {
    package func timerFired(now: MonotonicInstant) {
        state.withLock { $0.timer = nil }
        poll(now: now)
    }

    /// Looks at the engine's deadlines.
    func poll(now: MonotonicInstant) {
        let (deadline, failure, old): (MonotonicInstant?, LinkError?, TimerHandle?) =
            state.withLock { state in
                guard state.ending == nil else { return (nil, nil, state.timer.take()) }
                let deadline = state.connection.poll(now: now)
                guard state.connection.hasFailed else {
                    guard state.timer == nil else { return (nil, nil, nil) }
                    return (deadline, nil, nil)
                }
                var cause = "the connection failed"
                while let event = state.connection.nextEvent() {
                    if case .failed(let error) = event { cause = error.message }
                }
                return (nil, LinkError(phase: .http2, cause: cause), nil)
            }
        if let old { loop.cancel(old) }
        if let failure { return end(with: failure) }
        if let deadline {
            let timer = loop.schedule(self, at: deadline)
            state.withLock { $0.timer = timer }
        }
    }

    /// Ends the connection and every call on it. The first to come is the one that counts.
    package func end(with error: LinkError) {
        var last = GatherList()
        let calls: [CallCore]? = state.withLock { state in
            guard state.ending == nil else { return nil }
            state.ending = error
            if !state.isWriting {
                swap(&last, &state.unwritten)
                state.connection.takeOutput(into: &last)
            }
            defer { state.entries = [] }
            state.callCount = 0
            return state.entries.compactMap(\.call)
        }
        guard let calls else { return }
        // A GOAWAY that can leave now does; nobody waits for it.
        _ = try? wire.write(&last)
        wire.close(on: loop)
        if let timer = state.withLock({ $0.timer.take() }) { loop.cancel(timer) }
        let failure = StatusMapping.error(forLost: error, peer: peer)
        for call in calls { call.end(with: failure, isImmediate: false) }
        tellOwner { $0.linkEnded(self, error) }
    }
}
