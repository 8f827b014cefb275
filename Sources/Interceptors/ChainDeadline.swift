import SwiftletCore
import SwiftletTransport
import Synchronization

/// Ends a call with interceptors if its deadline passes while an interceptor holds it. The chain of
/// the call stores it, and is the target of its timer.
///
/// The call at the end of the chain has a deadline timer of its own, and its error has more
/// context. Therefore this timer fires a little later. The deadline is the caller's. If an
/// interceptor has set an earlier deadline for the rest of the call, that one applies while the
/// rest is running.
struct ChainDeadline: ~Copyable, Sendable {
    enum Stage { case waiting, running, over }

    /// Internal and not private: the compiler (6.3) cannot build a private one in another file's type.
    struct State: ~Copyable {
        var stage = Stage.waiting
        var callers: MonotonicInstant?
        var instant: MonotonicInstant?
    }

    private static let grace = Duration.milliseconds(100)

    private let timer = TimerSlot()
    private let state = Mutex(State())
}

extension ChainDeadline {
    /// The call starts.
    func watch(_ chain: InterceptorChain, _ deadline: Deadline) {
        let isFirst = state.withLock { state in
            guard state.stage == .waiting else { return false }
            state.stage = .running
            state.callers = deadline.moment
            return true
        }
        if isFirst { move(chain) { _ in deadline.moment } }
    }

    /// The part of the call below an interceptor starts with this deadline.
    func shorten(_ chain: InterceptorChain, to deadline: Deadline) {
        guard let moment = deadline.moment else { return }
        move(chain) { state in state.instant.map { min($0, moment) } ?? moment }
    }

    /// Called when the part of the call below an interceptor has ended. Sets the timer back to the
    /// caller's deadline, or to `deadline` if that is earlier: the interceptor may start that part
    /// again.
    func restore(_ chain: InterceptorChain, to deadline: Deadline) {
        move(chain) { state in Deadline.earlier(Deadline(moment: state.callers), deadline).moment }
    }

    private func move(_ chain: InterceptorChain, to choose: (borrowing State) -> MonotonicInstant?)
    {
        let hasMoved = state.withLock { state in
            guard state.stage == .running else { return false }
            let instant = choose(state)
            defer { state.instant = instant }
            return instant != state.instant
        }
        if hasMoved { moveTimer(chain) }
    }

    /// Repeats until the timer matches the deadline: another thread may change the deadline too.
    private func moveTimer(_ chain: InterceptorChain) {
        var instant: MonotonicInstant?
        repeat {
            instant = state.withLock { $0.instant }
            if let instant {
                timer.schedule(chain, at: instant + Self.grace, on: chain.timerLoop)
            } else {
                timer.cancel()
            }
        } while state.withLock { $0.instant != instant }
    }

    /// The call has ended.
    func end() {
        state.withLock { $0.stage = .over }
        timer.close()
    }

    /// Whether the deadline has passed. A timer that fires does not prove it: the deadline may have
    /// become later in the meantime.
    func hasPassed(now: MonotonicInstant) -> Bool {
        state.withLock { state in
            guard state.stage == .running, let instant = state.instant else { return false }
            return now >= instant
        }
    }
}
