import SwiftletCore
import SwiftletTransport
import Synchronization

/// The limit that a fault puts on the output of a connection.
enum OutputPace: Sendable {
    /// Closes the connection after this number of bytes, even in the middle of a frame.
    case untilDrop(byteCount: Int)
    /// Sends this number of bytes at a time, with a pause after each.
    case drip(byteCount: Int, every: Duration)
}

// The output of a connection with a pace. Its waiting bytes are in `unwritten`.

extension ServerSession {
    /// Sets the pace of all later output.
    func setPace(_ pace: OutputPace) {
        // The fault does not apply to earlier output.
        flush()
        state.withLock { $0.pace = pace }
    }

    /// Writes output at a pace, instead of an ordinary write. Called only by the thread that is the
    /// current writer.
    func writePaced(_ pace: OutputPace) {
        switch pace {
        case .untilDrop(let byteCount): writeUntilDrop(byteCount)
        case .drip(let byteCount, let interval): drip(byteCount, every: interval)
        }
    }

    private func drip(_ byteCount: Int, every interval: Duration) {
        // Nothing is sent before the timer fires.
        let isDue = state.withLock { state in
            if state.awaitsDrip { state.turn.stop() }
            return !state.awaitsDrip
        }
        guard isDue else { return }
        writePortion(of: byteCount)
        let reports = state.withLock { state in
            state.turn.stop()
            state.awaitsDrip = true
            return takeRoomReports(&state)
        }
        dripTimer.schedule(self, at: .now + interval, on: loop)
        for call in reports { call.hasRoom() }
    }

    private func writeUntilDrop(_ byteCount: Int) {
        var left = byteCount
        while true {
            left -= writePortion(of: left)
            let (isDone, reports) = state.withLock { state in
                // This writer also writes output that was added in the meantime.
                let isDone = left == 0 || state.isOver || !state.hasMore
                if isDone {
                    state.turn.stop()
                    state.pace = .untilDrop(byteCount: left)
                }
                return (isDone, takeRoomReports(&state))
            }
            for call in reports { call.hasRoom() }
            if left == 0 {
                // On the loop, because this thread may hold the lock of a call.
                loop.run { [self] in end() }
            }
            if isDone { return }
        }
    }

    /// Writes up to this number of bytes, and returns how many it wrote.
    @discardableResult
    private func writePortion(of limit: Int) -> Int {
        var bytes: [UInt8] = []
        state.withLock { state in
            state.keepOutput()
            state.unwritten.moveFirst(limit, to: &bytes)
        }
        let count = bytes.count
        var portion = GatherList()
        portion.append(referencing: bytes)
        // A portion is much smaller than a socket's buffer. If the buffer is full, the client has
        // stopped reading, so the connection is closed.
        let isBlocked = (try? write(&portion)) ?? true
        if isBlocked, !portion.isEmpty { loop.run { [self] in end() } }
        return count
    }
}

extension ServerSession.State {
    fileprivate var hasMore: Bool { !unwritten.isEmpty || hasOutput }
}

extension ServerSession: TimerTarget {
    /// Sends the next portion of a dripping output.
    func timerFired(now: MonotonicInstant) {
        let hasMore = state.withLock { state in
            state.awaitsDrip = false
            return state.hasMore
        }
        if hasMore { flush() }
    }
}
