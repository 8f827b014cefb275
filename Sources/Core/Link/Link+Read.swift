package import SwiftletTransport
import Synchronization

// Reads the socket, passes the bytes to the engine, and delivers the engine's events. Runs on the
// loop's thread.

extension Link: Pollable {
    package func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) {
        if readiness.contains(.writable) { becameWritable() }
        if readiness.contains(.readable) {
            unsafe read(with: &reader, untilEmpty: readiness.contains(.hungUp), now: now)
        }
    }

    /// Reads the bytes that have arrived on a connection that cannot be written to. The system
    /// buffers a limited number of them. If the peer sends many more, the reading stops.
    func readAll(now: MonotonicInstant) {
        unsafe read(with: &reader, untilEmpty: true, isShared: false, now: now)
    }

    /// Delivers events of the engine that were not caused by a read.
    func deliverEvents() { unsafe receive(&reader, now: .now) }

    /// - Parameter isShared: Whether to stop after a while, so that other connections are read.
    private func read(
        with reader: inout LinkReader, untilEmpty: Bool, isShared: Bool = true,
        now: MonotonicInstant
    ) {
        reader.buffer.adopt(loop.takeReceiveMemory())
        var failure: LinkError?
        var isOver = false
        var byteCount = 0
        // A server may close right after its SETTINGS. The link reads the end of the connection
        // before it writes requests, so that they are sent on another connection.
        let wasReady = state.withLock { $0.isReady }
        while !isOver {
            do throws(LinkError) {
                let outcome = try readOnce(
                    &reader, &byteCount, endsWhenDrained: !untilEmpty && wasReady && byteCount > 0,
                    now: now)
                if outcome != .nothing { receive(&reader, now: now) }
                if state.withLock({ $0.ending != nil }) { break }
                switch outcome {
                case .last where !untilEmpty && wasReady: isOver = true
                case .more, .last:
                    if isShared, byteCount >= ReceiveBuffer.turnByteCount {
                        loop.readAgain(self, untilEmpty: untilEmpty)
                        isOver = true
                    } else {
                        isOver = byteCount >= 64 * ReceiveBuffer.turnByteCount
                    }
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
        if let failure { end(with: failure) }
    }

    /// Reads into the message that is arriving, or into the buffer.
    private func readOnce(
        _ reader: inout LinkReader, _ byteCount: inout Int, endsWhenDrained: Bool,
        now: MonotonicInstant
    ) throws(LinkError) -> LinkWire.ReadOutcome {
        if let read = try readPlaced(&reader, now: now) {
            byteCount += read.byteCount
            return read.outcome
        }
        let read = try wire.read(into: &reader.buffer, endsWhenDrained: endsWhenDrained)
        byteCount += read.byteCount
        return read.outcome
    }

    private var endOfStream: String {
        let wasReady = state.withLock { $0.isReady }
        guard !wasReady, !wire.isSecure else { return "the peer closed the connection" }
        return "the peer closed the connection before it sent any HTTP/2; it may require TLS"
    }

    /// Passes the bytes in the buffer to the engine, and its events to the calls.
    private func receive(_ reader: inout LinkReader, now: MonotonicInstant) {
        var offset = 0
        reader.buffer.withUnread { bytes in
            frameLog?.received(bytes)
            let (answerCount, expectedCount) = state.withLock { state in
                let callCount = state.callCount
                // After the end of the connection there are no entries for frames that still
                // arrive.
                while state.ending == nil,
                    let event = state.connection.receive(bytes, at: &offset, now: now)
                {
                    state.record(event, self, into: &reader.arrivals)
                }
                return reader.arrivals.answerCounts(callCount: callCount) { stream in
                    state.connection.hasSentEnd(of: stream)
                }
            }
            loop.hasRead(answerCount: answerCount, expectedCount: expectedCount)
            deliver(&reader.arrivals, bytes, now: now)
        }
        reader.arrivals.removeAll()
        reader.buffer.consume(offset)
        frameLog?.consumed(offset)
        beginPlacing(&reader, now: now)
        poll(now: now)
        let (hasOutput, isDrained, hasRoom) = state.withLock { state in
            state.recentCallCount = max(state.callCount, state.recentCallCount * 7 / 8)
            return (
                state.connection.hasOutput,
                state.connection.isDraining && state.callCount == 0 && state.ending == nil,
                state.takeRoomReport()
            )
        }
        if hasOutput { flushSoon() }
        if isDrained { endIfDrained() }
        if hasRoom { withOwner { $0.linkHasRoom(self) } }
    }
}

// MARK: - Deliveries

extension Link {
    private func deliver(
        _ arrivals: inout LinkArrivals, _ bytes: Span<UInt8>, now: MonotonicInstant
    ) {
        var list: [LinkArrivals.Arrival] = []
        arrivals.swapList(with: &list)
        for index in list.indices {
            let call = list[index].call.take()
            if let signal = list[index].signal.take() {
                deliver(signal, to: call, now: now)
            } else if let call, let stream = list[index].stream {
                let consumption = call.receive(
                    &list[index].content, bytes, arrivals.pieces, at: now)
                guard !consumption.isEmpty else { continue }
                state.withLock { $0.connection.consumed(stream, consumption, now: now) }
            }
        }
        arrivals.swapList(with: &list)
    }

    private func deliver(
        _ signal: LinkArrivals.Signal, to call: CallCore?, now: MonotonicInstant
    ) {
        switch signal {
        case .unprocessed:
            call?.streamWasNotProcessed(
                drainError("\(peer) closed the connection before it processed the request"))
        case .refused:
            call?.streamWasNotProcessed(
                RPCError(.unavailable, "\(peer) refused the stream of the request").notExecuted)
        case .unsent:
            call?.streamWasNotProcessed(
                wasSent: false,
                drainError("\(peer) closed the connection before the request was sent"))
        case .ready:
            let isDraining = state.withLock { state in
                state.isReady = true
                state.times.ready = now
                state.record = ConnectionRecord(peer: peer, state.times)
                return state.connection.isDraining
            }
            // A server that sends GOAWAY with its first SETTINGS accepts no calls.
            if !isDraining { withOwner { $0.linkIsReady(self) } }
        case .goAway(let frame): withOwner { $0.linkIsLeaving(self, frame) }
        case .ended(let error): end(with: error)
        }
    }

    private func drainError(_ message: String) -> RPCError {
        var error = RPCError(.unavailable, message).notExecuted
        error.phase = .http2
        error.peer = peer
        error.causes = state.withLock { $0.goAway }.map { [$0] } ?? []
        return error
    }
}
