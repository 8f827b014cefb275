import SwiftletTransport
import Synchronization

/// Waits until the calls of some connections have ended, or a deadline has passed.
final class ClosingWait: TimerTarget {
    private let links: [Link]
    private let loop: EventLoop
    private let state = Mutex<
        (deadline: MonotonicInstant?, waiter: CheckedContinuation<Void, Never>?)
    >(
        (nil, nil))

    init(_ links: [Link], loop: EventLoop) {
        self.links = links
        self.loop = loop
    }

    func wait(until deadline: MonotonicInstant) async {
        await withCheckedContinuation { waiter in
            state.withLock { $0 = (deadline, waiter) }
            timerFired(now: .now)
        }
    }

    /// Connections that are left do not report each call, so they are looked at now and then.
    func timerFired(now: MonotonicInstant) {
        let isDone = links.allSatisfy { $0.callCount == 0 }
        let waiter: CheckedContinuation<Void, Never>? = state.withLock { state in
            guard isDone || state.deadline.map({ now >= $0 }) ?? true else { return nil }
            return state.waiter.take()
        }
        if let waiter { return waiter.resume() }
        _ = loop.schedule(self, at: now + .milliseconds(5))
    }
}
