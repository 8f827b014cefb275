import SwiftletTransport
import Synchronization

/// Ends a call with interceptors whose deadline passes while one of them holds it back.
///
/// The call proper, at the end of the chain, has its own deadline, and tells its end better. This
/// one leaves it a little time. It is the caller's, or a sooner one that an interceptor has given the
/// rest of the call, for as long as that rest is under way.
final class ChainDeadline: TimerTarget {
    private enum Watched {
        case nothing
        /// The reference is let go of when the call ends.
        case running(InterceptorChain)
        case over
    }

    private struct State {
        var watched = Watched.nothing
        var callers: MonotonicInstant?
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
        let isOver = state.withLock { state in
            guard case .nothing = state.watched else { return true }
            state.watched = .running(chain)
            state.callers = deadline.moment
            return false
        }
        if !isOver { move { _ in deadline.moment } }
    }

    /// The rest of the call goes on with this deadline.
    func shorten(to deadline: Deadline) {
        guard let moment = deadline.moment else { return }
        move { state in state.instant.map { min($0, moment) } ?? moment }
    }

    /// The rest of the call has ended, and another may follow within `deadline`.
    func restore(to deadline: Deadline) {
        move { state in Deadline.earlier(Deadline(moment: state.callers), deadline).moment }
    }

    private func move(to choose: (State) -> MonotonicInstant?) {
        enum Change {
            case none, cancelled(TimerHandle?), moved(TimerHandle?, to: MonotonicInstant)
        }
        let change: Change = state.withLock { state in
            guard case .running = state.watched else { return .none }
            let instant = choose(state)
            guard instant != state.instant else { return .none }
            state.instant = instant
            let old = state.timer.take()
            return instant.map { .moved(old, to: $0) } ?? .cancelled(old)
        }
        switch change {
        case .none: break
        case .cancelled(let old): if let old { loop.cancel(old) }
        case .moved(let old, let instant):
            if let old { loop.cancel(old) }
            schedule(at: instant)
        }
    }

    private func schedule(at instant: MonotonicInstant) {
        let timer = loop.schedule(self, at: instant + Self.grace)
        let isNeeded = state.withLock { state in
            guard case .running = state.watched, state.instant == instant, state.timer == nil
            else { return false }
            state.timer = timer
            return true
        }
        if !isNeeded { loop.cancel(timer) }
    }

    /// The call has ended.
    func end() {
        let (watched, timer) = state.withLock { state in
            defer { state.watched = .over }
            return (state.watched, state.timer.take())
        }
        if let timer { loop.cancel(timer) }
        // Let go of outside the lock.
        _ = watched
    }

    func timerFired(now: MonotonicInstant) {
        let chain: InterceptorChain? = state.withLock { state in
            // Another one may have taken the place of the timer that fires.
            guard case .running(let chain) = state.watched, let instant = state.instant,
                now >= instant
            else { return nil }
            return chain
        }
        chain?.fail(
            RPCError(.deadlineExceeded, "the deadline passed while an interceptor held the call"))
    }
}
