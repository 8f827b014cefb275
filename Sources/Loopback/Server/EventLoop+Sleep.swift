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
            sleep.end()
        }
        if Task.isCancelled { throw CancellationError() }
    }
}

/// One suspension of one task.
private final class LoopSleep: TimerTarget {
    private enum State {
        case idle, ended
        case suspended(Resumption<Void>)
    }

    private let state = Mutex(State.idle)
    private let timer = TimerSlot()

    func begin(_ waiter: Resumption<Void>, for duration: Duration, on loop: EventLoop) {
        let hasEnded = state.withLock { state in
            guard case .idle = state else { return true }
            state = .suspended(waiter)
            return false
        }
        if hasEnded { return waiter.resume() }
        timer.schedule(self, at: .now + duration, on: loop)
        // A closed loop fires no timer.
        if loop.isClosed { end() }
    }

    func timerFired(now: MonotonicInstant) {
        timer.hasFired(now: now)
        end()
    }

    func end() {
        timer.close()
        let waiter = state.withLock { state in
            defer { state = .ended }
            guard case .suspended(let waiter) = state else { return nil as Resumption<Void>? }
            return waiter
        }
        waiter?.resume()
    }
}
