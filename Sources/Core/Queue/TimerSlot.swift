package import SwiftletTransport
import Synchronization

/// A timer of an object for one purpose. Safe on any thread.
///
/// The object decides under its own lock and schedules outside it. In between, another thread may
/// make the timer unnecessary. The slot resolves that race: each ``schedule(_:at:on:)`` replaces
/// the previous timer, and after ``close()`` nothing is scheduled.
///
/// A timer that was cancelled may be firing already. Its target must check its own state.
package struct TimerSlot: ~Copyable, Sendable {
    /// Internal and not private: the compiler (6.3) cannot build a private one in another file's
    /// type.
    struct State: ~Copyable {
        typealias Timer = (handle: TimerHandle, loop: EventLoop)

        var timer: Timer?
        /// When the timer fires; nil if there is none.
        var deadline: MonotonicInstant?
        /// The number of changes. If two threads schedule at once, only the last timer is kept.
        var changeCount: UInt32 = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    package init() {}
}

extension TimerSlot {
    /// Calls `target` at `deadline`. Replaces the previous timer.
    ///
    /// - Parameter unlessEarlier: Keeps the previous timer if it does not fire later.
    package borrowing func schedule(
        _ target: any TimerTarget, at deadline: MonotonicInstant, on loop: EventLoop,
        unlessEarlier: Bool = false
    ) {
        let (old, change): (State.Timer?, UInt32?) = state.withLock { state in
            if unlessEarlier, let present = state.deadline, present <= deadline {
                return (nil, nil)
            }
            return state.begin(deadline)
        }
        if let old { old.loop.cancel(old.handle) }
        if let change { keep((loop.schedule(target, at: deadline), loop), change) }
    }

    /// Calls `body` at `deadline`. Replaces the previous timer.
    package borrowing func schedule(
        at deadline: MonotonicInstant, on loop: EventLoop, _ body: @escaping @Sendable () -> Void
    ) {
        schedule(TimerClosure(body), at: deadline, on: loop)
    }

    /// Whether a timer was scheduled and neither cancelled nor, with ``hasFired(now:)``, emptied.
    var isScheduled: Bool { state.withLock { $0.deadline != nil } }

    /// Called by the target when the timer fires. Empties the slot, unless another timer was
    /// scheduled in the meantime.
    package borrowing func hasFired(now: MonotonicInstant) {
        state.withLock { state in
            if let deadline = state.deadline, deadline <= now { state.clear() }
        }
    }

    package borrowing func cancel() { cancel(andClose: false) }

    /// Cancels the timer, and ignores later ones.
    package borrowing func close() { cancel(andClose: true) }

    private borrowing func cancel(andClose: Bool) {
        let timer = state.withLock { state in
            defer { state.clear() }
            if andClose { state.isClosed = true }
            return state.timer
        }
        if let timer { timer.loop.cancel(timer.handle) }
    }

    private borrowing func keep(_ timer: State.Timer, _ change: UInt32) {
        let isKept = state.withLock { state in
            guard state.changeCount == change else { return false }
            state.timer = timer
            return true
        }
        if !isKept { timer.loop.cancel(timer.handle) }
    }
}

extension TimerSlot.State {
    /// Returns the timer that is replaced, and the number of the change; nil for the number if the
    /// slot is closed.
    fileprivate mutating func begin(_ deadline: MonotonicInstant) -> (Timer?, UInt32?) {
        guard !isClosed else { return (nil, nil) }
        let old = timer
        clear()
        self.deadline = deadline
        return (old, changeCount)
    }

    fileprivate mutating func clear() {
        timer = nil
        deadline = nil
        changeCount &+= 1
    }
}

private final class TimerClosure: TimerTarget {
    private let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }

    func timerFired(now: MonotonicInstant) { body() }
}
