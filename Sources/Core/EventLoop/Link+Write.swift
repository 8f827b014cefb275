import SwiftletTransport
import Synchronization

// One writer writes for everybody: who has output while somebody writes leaves it to him.

extension Link: Flushable {
    /// What has been taken for writing, no PING or reset overtakes, and TLS makes a copy of it. So
    /// little is taken at a time, and much, which saves system calls, for a socket that took the
    /// last at once.
    static let smallBatch = 256 << 10
    private static let largeBatch = 1 << 20 + 64 << 10

    /// Has what was framed written soon: at the end of the loop's turn, or at once.
    func flushSoon() {
        let now = outputMoment
        flushSoon(state.withLock { $0.askForFlush(now: now) })
    }

    func flushSoon(_ request: FlushRequest?) {
        if let request { loop.flushSoon(self, willGrow: request.willGrow) }
    }

    /// When there is output; nil for the loop's own thread, which gathers anyway.
    var outputMoment: MonotonicInstant? { loop.isCurrent ? nil : .now }

    package func flush() {
        guard var batch = takeBatch() else { return }
        for round in 1... {
            let outcome: LinkWire.WriteOutcome
            do throws(SystemError) {
                outcome = try wire.write(&batch)
            } catch {
                return writeFailed(error)
            }
            let (isDone, isLeft, reports, hasEvents) = finishWriting(&batch, outcome)
            tell(reports)
            if hasEvents { loop.run { [self] in tellEvents() } }
            if isLeft { endIfLeft() }
            if isDone { return }
            // However much there is to be written, others have their turn.
            if round >= Self.roundLimit { return handOver(&batch) }
        }
    }

    private static let roundLimit = 4

    /// Leaves the rest to the loop's thread, which looks for what has arrived before it goes on.
    private func handOver(_ batch: inout GatherList) {
        let isHere = loop.isCurrent
        state.withLock { state in
            swap(&batch, &state.unwritten)
            // Of a queue that is turned by hand nobody knows when: others may write until then.
            if isHere { state.turn.putOff() } else { state.turn.stop() }
        }
        loop.flushLater(self)
    }

    /// Tells calls that there is room again. Handlers run on the loop's thread: another one is at a
    /// call of its own, perhaps with a lock that they take as well.
    private func tell(_ calls: [CallCore]) {
        guard !calls.isEmpty else { return }
        let isHere = loop.isCurrent
        for call in calls {
            if isHere || !call.runsHandlers {
                call.streamHasRoom()
            } else {
                loop.run { call.streamHasRoom() }
            }
        }
    }

    /// Becomes the writer; nil when there is one, or nothing to write.
    private func takeBatch() -> GatherList? {
        state.withLock { state in
            let hasOutput = state.ending == nil && state.hasOutput
            guard state.turn.begin(hasOutput: hasOutput) else { return nil }
            var batch = GatherList()
            swap(&batch, &state.unwritten)
            state.takeOutput(into: &batch)
            return batch
        }
    }

    /// Goes on with what has been added, or stops being the writer.
    private func finishWriting(
        _ batch: inout GatherList, _ outcome: LinkWire.WriteOutcome
    ) -> (isDone: Bool, isLeft: Bool, reports: [CallCore], hasEvents: Bool) {
        state.withLock { state in
            let reports = state.takeRoomReports()
            state.unsentByteCount = outcome.unsentByteCount
            let takesMuch = !outcome.isBlocked && !wire.isSecure
            state.batchByteCount = takesMuch ? Self.largeBatch : Self.smallBatch
            swap(&batch, &state.unwritten)
            let hasMore = state.ending == nil && state.hasOutput
            guard state.turn.goOn(wasTurnedAway: outcome.isBlocked, hasMore: hasMore) else {
                return (true, state.isLeft, reports, state.connection.hasEvents)
            }
            swap(&batch, &state.unwritten)
            state.takeOutput(into: &batch)
            return (false, false, reports, state.connection.hasEvents)
        }
    }

    private func writeFailed(_ error: SystemError) {
        state.withLock { $0.turn.fail() }
        // What the peer sent before it went away says more than our failure to write to it: the
        // reader comes to the end of the stream, or to the same error, by itself.
        loop.run { [self] in
            readAll(now: .now)
            end(with: LinkError(phase: .http2, cause: "\(error)"))
        }
    }

    func becameWritable() {
        if state.withLock({ $0.turn.socketIsWritable() }) { flush() }
    }
}

/// What the first who has output asks the loop for.
struct FlushRequest {
    /// More output is likely to follow.
    var willGrow: Bool
}

extension Link.State {
    /// Nil when a flush has been asked for already, or comes by itself.
    mutating func askForFlush(now: MonotonicInstant?) -> FlushRequest? {
        guard turn.ask() else { return nil }
        return FlushRequest(willGrow: now.map { willGrow(now: $0) } ?? false)
    }

    /// With so many calls under way, a moment's wait brings more than one of them to write for. A
    /// few are not worth it: each would pay for waking a thread with its own time.
    private static let busyCallCount = 16

    /// Output that comes this soon after the last is part of a stream of it.
    private static let shortOutputGap: Int64 = 20_000
    static let longestOutputGap: Int64 = 1_000_000

    /// Whether output that another thread has now is likely to be followed by more.
    fileprivate mutating func willGrow(now: MonotonicInstant) -> Bool {
        let gap = min(max(0, now.nanoseconds &- lastOutput.nanoseconds), Self.longestOutputGap)
        lastOutput = now
        outputGap += (gap - outputGap) / 4
        return recentCallCount >= Self.busyCallCount || outputGap < Self.shortOutputGap
    }

    /// Whether there is something to write, in whatever shape.
    fileprivate var hasOutput: Bool {
        !unwritten.isEmpty || unsentByteCount > 0 || connection.hasOutput
    }

    /// No more than the batch may come to with what the socket has not taken yet: otherwise a peer
    /// that reads slowly would have all that its window allows lie here.
    fileprivate mutating func takeOutput(into batch: inout GatherList) {
        let room = max(0, batchByteCount - batch.count - unsentByteCount)
        connection.takeOutput(into: &batch, upTo: room)
    }

    /// Calls whose queue has become short by what was taken for writing.
    fileprivate mutating func takeRoomReports() -> [CallCore] {
        var calls: [CallCore] = []
        while let stream = connection.nextRoomReport() {
            // No entries are left when the connection has ended during the write.
            if let call = call(of: stream) { calls.append(call) }
        }
        return calls
    }
}
