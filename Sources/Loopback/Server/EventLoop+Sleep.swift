import SwiftletCore
import SwiftletTransport
import Synchronization

extension EventLoop {
    /// Suspends a task for `duration`, or until it is cancelled. `Task.sleep` would need a thread
    /// of Swift's cooperative thread pool, and a user's tests may block all threads of that pool.
    func sleep(for duration: Duration) async throws(CancellationError) {
        let sleep = LoopSleep()
        await withTaskCancellationHandler {
            await Resumption<Void>.wait { sleep.begin($0, for: duration, on: self) }
        } onCancel: {
            sleep.end(on: self)
        }
        if Task.isCancelled { throw CancellationError() }
    }
}

/// One suspension of one task.
private final class LoopSleep: TimerTarget {
    private struct State {
        var waiter: Resumption<Void>?
        var timer: TimerHandle?
        var isOver = false
    }

    private let state = Mutex(State())

    func begin(_ waiter: Resumption<Void>, for duration: Duration, on loop: EventLoop) {
        let isOver = state.withLock { state in
            // Under the lock, so that the timer cannot fire before `state` has its handle.
            if !state.isOver {
                state.waiter = waiter
                state.timer = loop.schedule(self, at: .now + duration)
            }
            return state.isOver
        }
        if isOver { return waiter.resume() }
        // A loop that has ended fires no timer.
        if loop.isClosed { end(on: loop) }
    }

    func timerFired(now: MonotonicInstant) {
        _ = state.withLock { $0.timer.take() }
        resume()
    }

    func end(on loop: EventLoop) {
        if let timer = state.withLock({ $0.timer.take() }) { loop.cancel(timer) }
        resume()
    }

    private func resume() {
        let waiter = state.withLock { state in
            state.isOver = true
            return state.waiter.take()
        }
        waiter?.resume()
    }
}
