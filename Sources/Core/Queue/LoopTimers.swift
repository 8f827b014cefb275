package import SwiftletTransport
import Synchronization

/// An object that a timer calls.
package protocol TimerTarget: AnyObject, Sendable {
    /// Called on the loop's thread, without a lock.
    func timerFired(now: MonotonicInstant)
}

/// A timer of an event loop. After it has fired or was cancelled, the handle has no effect.
package typealias TimerHandle = TimerHeap<any TimerTarget>.Handle

/// The timers of an event loop. Safe on any thread.
///
/// A sleeping loop must be woken for a timer that is earlier than the end of its sleep, which costs
/// a system call. To avoid that, the loop sleeps for at most ``tick`` while timers are added, so
/// that timers later than that, such as deadlines of calls, do not wake it. An unused loop sleeps
/// until its earliest timer.
final class LoopTimers: Sendable {
    typealias Instant = MonotonicInstant

    private struct State: ~Copyable {
        var heap = TimerHeap<any TimerTarget>()
        /// The end of the loop's sleep; nil while it is awake, or if the sleep has no end.
        var sleepsUntil: Instant?
        var isAsleep = false
        var insertedSinceSleep = false
    }

    private let state = Mutex(State())
    private static let tick = Duration.milliseconds(100)
}

extension LoopTimers {
    /// - Returns: The timer, and whether the loop must be woken for it.
    func insert(_ target: any TimerTarget, at deadline: Instant) -> (TimerHandle, mustWake: Bool) {
        state.withLock { state in
            state.insertedSinceSleep = true
            let handle = state.heap.insert(target, at: deadline)
            guard state.isAsleep else { return (handle, false) }
            return (handle, state.sleepsUntil.map { deadline < $0 } ?? true)
        }
    }

    func cancel(_ handle: TimerHandle) {
        // Released outside the lock, because its deinit may run other code. The variable keeps it
        // alive until then.
        let target = state.withLock { $0.heap.cancel(handle) }
        _ = target
    }

    /// Marks the loop as waiting. Returns when it must wake up for a timer; nil if there are no
    /// timers. If a timer was added since the last call, this is at most one tick from now.
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

    /// When the first timer fires; nil if there are no timers.
    var earliest: Instant? { state.withLock { $0.heap.earliest } }

    func popExpired(now: Instant) -> (any TimerTarget)? {
        state.withLock { $0.heap.popExpired(now: now) }
    }

    /// The number of timers that have not fired.
    var count: Int { state.withLock { $0.heap.count } }
}
