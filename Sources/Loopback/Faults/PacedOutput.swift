import SwiftletCore
import SwiftletTransport
import Synchronization

/// How a connection lets its octets go, where that is not at once.
enum OutputPace: Sendable {
    /// So many more, and then the connection is closed, in the middle of a frame or not.
    case untilDrop(byteCount: Int)
    /// So many at a time.
    case drip(byteCount: Int, every: Duration)
}

// The output of a connection whose pace a fault has changed. What waits lies in `unwritten`.

extension ServerSession {
    /// From now on the connection's octets leave at this pace.
    func setPace(_ pace: OutputPace) {
        // What was said before the fault is not part of it.
        flush()
        state.withLock { $0.pace = pace }
    }

    /// Takes the place of an ordinary write. Called by one thread at a time, the writer.
    func writePaced(_ pace: OutputPace) {
        switch pace {
        case .untilDrop(let byteCount): writeUntilDrop(byteCount)
        case .drip(let byteCount, let interval): drip(byteCount, every: interval)
        }
    }

    private func drip(_ byteCount: Int, every interval: Duration) {
        // Between two drops nothing leaves, however much is added.
        let isDue = state.withLock { state in
            if state.dripTimer != nil { state.turn.stop() }
            return state.dripTimer == nil
        }
        guard isDue else { return }
        writePortion(of: byteCount)
        let reports = state.withLock { state in
            state.turn.stop()
            // Under the lock, so that the timer cannot fire before it is known here.
            if !state.isOver { state.dripTimer = loop.schedule(self, at: .now + interval) }
            return takeRoomReports(&state)
        }
        for call in reports { call.hasRoom() }
    }

    private func writeUntilDrop(_ byteCount: Int) {
        var left = byteCount
        while true {
            left -= writePortion(of: left)
            let (isDone, reports) = state.withLock { state in
                // What was added meanwhile was left to this writer.
                let isDone = left == 0 || state.isOver || !state.hasMore
                if isDone {
                    state.turn.stop()
                    state.pace = .untilDrop(byteCount: left)
                }
                return (isDone, takeRoomReports(&state))
            }
            for call in reports { call.hasRoom() }
            if left == 0 {
                // On the loop, so that nobody is told while a call's lock is held.
                loop.run { [self] in end() }
            }
            if isDone { return }
        }
    }

    /// Writes so many octets at most, and says how many it was.
    @discardableResult
    private func writePortion(of limit: Int) -> Int {
        var octets: [UInt8] = []
        state.withLock { state in
            state.connection.takeOutput(into: &state.unwritten)
            state.unwritten.moveFirst(limit, to: &octets)
        }
        let count = octets.count
        var portion = GatherList()
        portion.append(referencing: octets)
        // Portions are small and sockets are not: one that takes no more belongs to a client that
        // has stopped reading, and misses nothing by a connection that is gone for it.
        let isBlocked = (try? write(&portion)) ?? true
        if isBlocked, !portion.isEmpty { loop.run { [self] in end() } }
        return count
    }
}

extension ServerSession.State {
    fileprivate var hasMore: Bool { !unwritten.isEmpty || connection.hasOutput }
}

extension ServerSession: TimerTarget {
    /// The next drop is due.
    func timerFired(now: MonotonicInstant) {
        let hasMore = state.withLock { state in
            state.dripTimer = nil
            return state.hasMore
        }
        if hasMore { flush() }
    }
}
