package import SwiftletTransport
import Synchronization

/// Wakes the one task that waits for a descriptor, a timer or another object.
///
/// A signal that precedes the wait is kept, so that none is lost. Several signals before a wait are one:
/// after each wait the task checks the state of what it waits for.
package final class WakeUp: Sendable {
    private struct State: ~Copyable {
        var isSignalled = false
        var isCancelled = false
        var waiter: Resumption<Void>?
    }

    private let state = Mutex(State())

    package init() {}
}

extension WakeUp {
    /// Ends the current or the next wait.
    func signal() {
        let waiter = state.withLock { state in
            state.isSignalled = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Ends the current wait and every later one.
    package func cancel() {
        let waiter = state.withLock { state in
            state.isCancelled = true
            return state.waiter.take()
        }
        waiter?.resume()
    }

    /// Suspends the task until the next signal. False if it was cancelled.
    @inline(never)  // Has many callers.
    func wait() async -> Bool {
        await Resumption<Void>.wait { waiter in
            let isOver = state.withLock { state in
                let isOver = state.isSignalled || state.isCancelled
                if !isOver { state.waiter = waiter }
                return isOver
            }
            if isOver { waiter.resume() }
        }
        return state.withLock { state in
            state.isSignalled = false
            return !state.isCancelled
        }
    }
}

extension WakeUp: Pollable {
    package func ready(_ readiness: Poller.Readiness, now: MonotonicInstant) { signal() }
}

extension WakeUp: TimerTarget {
    package func timerFired(now: MonotonicInstant) { signal() }
}
