package import SwiftletTransport
import Synchronization

// When the engine of a link is looked at, though nothing arrives.

extension Link: TimerTarget {
    package func timerFired(now: MonotonicInstant) {
        state.withLock { $0.timer = nil }
        poll(now: now)
    }

    /// Looks at the engine's deadlines.
    func poll(now: MonotonicInstant) {
        enum Outcome { case goesOn(DueTimer?, hasOutput: Bool), failed(LinkError), ended }
        let (outcome, old): (Outcome, TimerHandle?) = state.withLock { state in
            guard state.ending == nil else { return (.ended, state.takeTimer()) }
            let deadline = state.connection.poll(now: now)
            guard state.connection.hasFailed else {
                let (due, old) = state.moveTimer(to: deadline)
                return (.goesOn(due, hasOutput: state.connection.hasOutput), old)
            }
            while let event = state.connection.nextEvent() {
                guard case .failed(let error) = event else { continue }
                return (.failed(LinkError(phase: .http2, cause: error.message)), nil)
            }
            // Who has taken the event of the failure down also tells of it, behind what came before.
            return (.ended, nil)
        }
        if let old { loop.cancel(old) }
        switch outcome {
        case .ended: break
        case .failed(let error): end(with: error)
        case .goesOn(let due, let hasOutput):
            if let due { schedule(due) }
            // A PING that was due is of use on the wire alone.
            if hasOutput { flushSoon() }
        }
    }

    private func schedule(_ due: DueTimer) {
        let timer = loop.schedule(self, at: due.deadline)
        let isNeeded = state.withLock { $0.keep(timer, for: due) }
        if !isNeeded { loop.cancel(timer) }
    }
}

/// When the engine wants to be looked at, for who schedules it outside the lock.
struct DueTimer {
    var deadline: MonotonicInstant
    /// Tells apart those who schedule at the same time: the last counts.
    var number: UInt64
}

extension Link.State {
    /// Says when to come again, where nobody comes by then: octets that arrive put a deadline off,
    /// which a timer that fires too early finds out by itself.
    fileprivate mutating func moveTimer(
        to deadline: MonotonicInstant?
    ) -> (DueTimer?, TimerHandle?) {
        guard let deadline else { return (nil, nil) }
        if let timer, timer.deadline <= deadline { return (nil, nil) }
        let old = takeTimer()
        timerCount += 1
        timer = (deadline, nil)
        return (DueTimer(deadline: deadline, number: timerCount), old)
    }

    /// False when the timer is needed no more.
    fileprivate mutating func keep(_ handle: TimerHandle, for due: DueTimer) -> Bool {
        guard ending == nil, timer != nil, timerCount == due.number else { return false }
        timer?.handle = handle
        return true
    }

    mutating func takeTimer() -> TimerHandle? {
        defer { timer = nil }
        return timer?.handle
    }

    /// Whether something was sent over a connection that nobody would probe in time: while it was
    /// of no use, no time was set for that.
    func mustPoll() -> Bool {
        guard ending == nil, let due = connection.probeDeadline else { return false }
        guard let timer else { return true }
        return timer.deadline > due
    }
}
