import SwiftletTransport
import Synchronization

// One thread at a time writes. It also writes what other threads add in the meantime.

extension Link: Flushable {
    /// The most bytes taken for one write. The batch is small, because PING and RST_STREAM frames
    /// wait until it is written, and TLS copies it. If the socket accepted the whole last batch,
    /// the next one may be larger, which saves system calls.
    static let smallBatch = 256 << 10
    private static let largeBatch = 1 << 20 + 64 << 10

    /// Writes the engine's output soon: at the end of the loop's turn, or at once.
    func flushSoon() {
        let now = outputMoment
        flushSoon(state.withLock { $0.askForFlush(now: now) })
    }

    func flushSoon(_ request: FlushRequest?) {
        if let request { loop.flushSoon(self, willGrow: request.willGrow) }
    }

    /// The time of new output; nil on the loop's thread, which flushes at the end of its turn.
    var outputMoment: MonotonicInstant? { loop.isCurrent ? nil : .now }

    package func flush() {
        HeldLocks.assertNone(calling: "write of the socket")
        guard var batch = takeBatch() else { return }
        for round in 1... {
            frameLog?.deliver()
            let outcome: LinkWire.WriteOutcome
            do throws(SystemError) {
                outcome = try wire.write(&batch)
            } catch {
                return writeFailed(error)
            }
            let (isDone, isDrained, reports, hasEvents) = finishWriting(&batch, outcome)
            reportRoom(to: reports)
            if hasEvents { loop.run { [self] in deliverEvents() } }
            if isDrained { endIfDrained() }
            if isDone { return }
            // The loop handles its other connections first.
            if round >= Self.roundLimit { return handOver(&batch) }
        }
    }

    private static let roundLimit = 4

    /// Passes the rest to the loop's next turn, which reads arrived bytes before it writes.
    private func handOver(_ batch: inout GatherList) {
        let isHere = loop.isCurrent
        state.withLock { state in
            swap(&batch, &state.unwritten)
            // The next turn of a queue that is turned by hand may be late: other threads may write.
            if isHere { state.turn.putOff() } else { state.turn.stop() }
        }
        loop.run { [self] in flush() }
    }

    /// Reports room to calls. Handlers run on the loop's thread: this thread may hold a lock that they
    /// need.
    private func reportRoom(to calls: [CallCore]) {
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

    /// Makes the caller the writer. Nil if another thread is, or there is nothing to write.
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

    /// Takes the output that was added in the meantime; or ends the caller's turn as the writer.
    private func finishWriting(
        _ batch: inout GatherList, _ outcome: LinkWire.WriteOutcome
    ) -> (isDone: Bool, isDrained: Bool, reports: [CallCore], hasEvents: Bool) {
        state.withLock { state in
            let reports = state.takeRoomReports()
            state.unsentByteCount = outcome.unsentByteCount
            let takesMuch = !outcome.isBlocked && !wire.isSecure
            state.batchByteCount = takesMuch ? Self.largeBatch : Self.smallBatch
            swap(&batch, &state.unwritten)
            let hasMore = state.ending == nil && state.hasOutput
            guard state.turn.goOn(socketIsFull: outcome.isBlocked, hasMore: hasMore) else {
                return (true, state.isDrained, reports, state.connection.hasEvents)
            }
            swap(&batch, &state.unwritten)
            state.takeOutput(into: &batch)
            return (false, false, reports, state.connection.hasEvents)
        }
    }

    private func writeFailed(_ error: SystemError) {
        state.withLock { $0.turn.fail() }
        // The last frames of the peer, such as a GOAWAY, explain more than the failed write.
        loop.run { [self] in
            readAll(now: .now)
            end(with: LinkError(phase: .http2, error))
        }
    }

    func becameWritable() {
        if state.withLock({ $0.turn.socketIsWritable() }) { flush() }
    }
}

/// A request for a flush by the loop.
struct FlushRequest {
    /// Whether more output is likely to follow soon.
    var willGrow: Bool
}

extension Link.State {
    /// Requests a flush. Nil if a flush is requested already, a thread is writing, or the socket is
    /// full.
    mutating func askForFlush(now: MonotonicInstant?) -> FlushRequest? {
        guard turn.ask() else { return nil }
        return FlushRequest(willGrow: now.map { willGrow(now: $0) } ?? false)
    }

    /// With this many running calls, a short wait gathers output of several of them. With fewer,
    /// waking the loop's thread costs more than it saves.
    private static let busyCallCount = 16

    /// Outputs closer than this, in nanoseconds, belong to a burst.
    private static let shortOutputGap: Int64 = 20_000
    static let longestOutputGap: Int64 = 1_000_000

    /// Whether output of a thread other than the loop's is likely to be followed by more.
    fileprivate mutating func willGrow(now: MonotonicInstant) -> Bool {
        let gap = min(max(0, now.nanoseconds &- lastOutput.nanoseconds), Self.longestOutputGap)
        lastOutput = now
        outputGap += (gap - outputGap) / 4
        return recentCallCount >= Self.busyCallCount || outputGap < Self.shortOutputGap
    }

    /// Whether there is something to write.
    fileprivate var hasOutput: Bool {
        !unwritten.isEmpty || unsentByteCount > 0 || connection.hasOutput
    }

    /// Fills the batch. Its limit includes bytes that the socket did not accept yet: otherwise a peer
    /// that reads slowly would make this side buffer as much as its window allows.
    fileprivate mutating func takeOutput(into batch: inout GatherList) {
        takeOutput(into: &batch, upTo: room(in: batch))
        while let stream = connection.streamAwaitingFields, room(in: batch) > 0 {
            refreshFields(of: stream)
            takeOutput(into: &batch, upTo: room(in: batch))
        }
        if connection.mostStreamCount > 0 { hasCarriedStream = true }
    }

    /// Takes the engine's output. If frames are logged, also writes them to the frame log.
    mutating func takeOutput(
        into batch: inout GatherList, upTo byteCount: Int, opensStreams: Bool = true
    ) {
        guard let frameLog else {
            return connection.takeOutput(
                into: &batch, upTo: byteCount, opensStreams: opensStreams)
        }
        var output = GatherList()
        connection.takeOutput(into: &output, upTo: byteCount, opensStreams: opensStreams)
        var bytes: [UInt8] = []
        output.moveFirst(output.count, to: &bytes)
        frameLog.sent(bytes)
        batch.append(copying: bytes)
    }

    private func room(in batch: borrowing GatherList) -> Int {
        max(0, batchByteCount - batch.count - unsentByteCount)
    }

    /// Replaces the fields of a queued request before it is sent, because they contain the time
    /// that is left until the deadline.
    private mutating func refreshFields(of stream: StreamHandle) {
        guard let call = call(of: stream) else { return connection.reset(stream, .cancel) }
        let fields = RequestHead.fields(
            call.metadata, deadline: call.deadlineToSend ?? .never)
        connection.setFields(fields, of: stream)
    }

    /// Calls whose queues have become short.
    fileprivate mutating func takeRoomReports() -> [CallCore] {
        var calls: [CallCore] = []
        while let stream = connection.nextRoomReport() {
            // There are no entries if the connection has ended during the write.
            if let call = call(of: stream) { calls.append(call) }
        }
        return calls
    }
}
