import SwiftletTransport
import Synchronization

/// Ends a call with interceptors if its deadline passes while an interceptor holds it.
///
/// The call at the end of the chain has its own deadline, and its error has more context. This
/// timer fires a little later. The deadline is that of the caller, or an earlier one that an
/// interceptor has set for the rest of the call, while that rest is running.
final class ChainDeadline: TimerTarget {
    private enum Watched {
        case nothing
        /// The reference is released when the call ends.
        case running(InterceptorChain)
        case over
    }

    private struct State {
        var watched = Watched.nothing
        var callers: MonotonicInstant?
        var instant: MonotonicInstant?
    }

    private static let grace = Duration.milliseconds(100)

    private let loop: EventLoop
    private let timer = TimerSlot()
    private let state = Mutex(State())

    init(_ loop: EventLoop) { self.loop = loop }
}

extension ChainDeadline {
    /// The call starts.
    func watch(_ chain: InterceptorChain, _ deadline: Deadline) {
        let isOver = state.withLock { state in
            guard case .nothing = state.watched else { return true }
            state.watched = .running(chain)
            state.callers = deadline.moment
            return false
        }
        if !isOver { move { _ in deadline.moment } }
    }

    /// The part of the call below an interceptor starts with this deadline.
    func shorten(to deadline: Deadline) {
        guard let moment = deadline.moment else { return }
        move { state in state.instant.map { min($0, moment) } ?? moment }
    }

    /// The part of the call below an interceptor has ended. The interceptor may start that part
    /// again, within `deadline`.
    func restore(to deadline: Deadline) {
        move { state in Deadline.earlier(Deadline(moment: state.callers), deadline).moment }
    }

    private func move(to choose: (State) -> MonotonicInstant?) {
        let hasMoved = state.withLock { state in
            guard case .running = state.watched else { return false }
            let instant = choose(state)
            defer { state.instant = instant }
            return instant != state.instant
        }
        if hasMoved { moveTimer() }
    }

    /// Repeated until the timer matches the deadline: another thread may change it too.
    private func moveTimer() {
        var instant: MonotonicInstant?
        repeat {
            instant = state.withLock { $0.instant }
            if let instant {
                timer.schedule(self, at: instant + Self.grace, on: loop)
            } else {
                timer.cancel()
            }
        } while state.withLock { $0.instant != instant }
    }

    /// The call has ended.
    func end() {
        let watched = state.withLock { state in
            defer { state.watched = .over }
            return state.watched
        }
        timer.close()
        // Released outside the lock.
        _ = watched
    }

    func timerFired(now: MonotonicInstant) {
        let chain: InterceptorChain? = state.withLock { state in
            // The timer that fires may have been replaced.
            guard case .running(let chain) = state.watched, let instant = state.instant,
                now >= instant
            else { return nil }
            return chain
        }
        chain?.fail(
            RPCError(.deadlineExceeded, "the deadline passed while an interceptor held the call"))
    }
}
