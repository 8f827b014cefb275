import SwiftletTransport
import Synchronization

/// Ends a call with interceptors whose deadline passes while one of them holds it back.
///
/// The call proper, at the end of the chain, has its own deadline, and tells its end better. This
/// one leaves it a little time. It counts from where the call began, or from what an interceptor
/// says, whichever is sooner.
final class ChainDeadline: TimerTarget {
    private struct State {
        /// From its beginning to its end.
        var chain: InterceptorChain?
        var instant: MonotonicInstant?
        var timer: TimerHandle?
    }

    private static let grace = Duration.milliseconds(100)

    private let loop: EventLoop
    private let state = Mutex(State())

    init(_ loop: EventLoop) { self.loop = loop }
}

extension ChainDeadline {
    /// The call begins.
    func watch(_ chain: InterceptorChain, _ deadline: Deadline) {
        state.withLock { $0.chain = chain }
        shorten(to: deadline)
    }

    /// The rest of the call goes on with this deadline.
    func shorten(to deadline: Deadline) {
        guard let instant = deadline.moment else { return }
        let (isSooner, old): (Bool, TimerHandle?) = state.withLock { state in
            guard state.chain != nil, state.instant.map({ instant < $0 }) ?? true else {
                return (false, nil)
            }
            state.instant = instant
            return (true, state.timer.take())
        }
        guard isSooner else { return }
        if let old { loop.cancel(old) }
        let timer = loop.schedule(self, at: instant + Self.grace)
        let isNeeded = state.withLock { state in
            guard state.chain != nil, state.instant == instant else { return false }
            state.timer = timer
            return true
        }
        if !isNeeded { loop.cancel(timer) }
    }

    /// The call has ended.
    func end() {
        let timer = state.withLock { state in
            state.chain = nil
            return state.timer.take()
        }
        if let timer { loop.cancel(timer) }
    }

    func timerFired(now: MonotonicInstant) {
        let chain = state.withLock { $0.chain }
        chain?.fail(
            RPCError(.deadlineExceeded, "the deadline passed while an interceptor held the call"))
    }
}
