package import SwiftletTransport
import Synchronization

/// Something that wants to know when a time has come.
package protocol TimerTarget: AnyObject, Sendable {
    /// Called on the loop's thread, without a lock.
    func timerFired(now: MonotonicInstant)
}

/// The deadlines of an event loop, from any thread.
///
/// A loop that sleeps must be woken for a deadline earlier than the one it sleeps until, and that
/// costs a system call. So while timers come and go it sleeps for ``tick`` at most: a deadline
/// later than that, as those of calls are, needs no waking. A loop that nobody uses sleeps for as
/// long as it may.
final class LoopTimers: Sendable {
    typealias Instant = MonotonicInstant
    typealias Handle = TimerHeap<any TimerTarget>.Handle

    private struct State: ~Copyable {
        var heap = TimerHeap<any TimerTarget>()
        /// Until when the loop sleeps; nil while it is awake, or sleeps without an end.
        var sleepsUntil: Instant?
        var isAsleep = false
        var insertedSinceSleep = false
    }

    private let state = Mutex(State())
    private static let tick = Duration.milliseconds(100)
}

extension LoopTimers {
    /// - Returns: The timer, and whether the loop has to be woken for it.
    func insert(_ target: any TimerTarget, at deadline: Instant) -> (Handle, mustWake: Bool) {
        state.withLock { state in
            state.insertedSinceSleep = true
            let handle = state.heap.insert(target, at: deadline)
            guard state.isAsleep else { return (handle, false) }
            return (handle, state.sleepsUntil.map { deadline < $0 } ?? true)
        }
    }

    func cancel(_ handle: Handle) {
        // The target is let go of outside the lock: its end may be a long story. It has a name for
        // that, because a value without one may end as soon as nobody needs it, which is inside.
        let target = state.withLock { $0.heap.cancel(handle) }
        _ = target
    }

    /// The loop is about to sleep. Returns until when it may.
    func fallAsleep(now: Instant) -> Instant? {
        state.withLock { state in
            var until = state.heap.earliest
            if state.insertedSinceSleep {
                until = until.map { min($0, now + Self.tick) } ?? now + Self.tick
            }
            state.insertedSinceSleep = false
            state.isAsleep = true
            state.sleepsUntil = until
            return until
        }
    }

    func wake() {
        state.withLock { $0.isAsleep = false }
    }

    func popExpired(now: Instant) -> (any TimerTarget)? {
        state.withLock { $0.heap.popExpired(now: now) }
    }

    /// Timers that have not fired: what a test of leaks counts.
    var count: Int { state.withLock { $0.heap.count } }
}
