import SwiftletTransport
import Synchronization

// The errors of calls whose deadline has passed. They say what the call waited for.

extension ChannelCore {
    func deadlineError(of call: CallCore) -> RPCError {
        var error = call.hasStream ? call.deadlineErrorOfSent(to: target) : deadlineErrorOfWaiting
        // Without a thread that turns the queue, nothing is sent or received, so the network is not the cause.
        if loop.isTurnedByHand, !loop.isTurning {
            error.message +=
                "; no thread turned the channel's completion queue: call next() on it while calls run"
        }
        return error
    }

    private var deadlineErrorOfWaiting: RPCError {
        let (connectivity, members, isResolving) = state.withLock {
            ($0.connectivity, Array($0.members.values), $0.picker == nil)
        }
        var error = RPCError(
            .deadlineExceeded, "the deadline passed \(connectivity.whileCallsWait) to \(target)")
        error.phase = .connect
        let waits = members.map(\.waitState)
        if let attempt = waits.lazy.compactMap(\.attempt).first {
            error.add(attempt.progress)
        } else if isResolving, connectivity == .connecting {
            error.phase = .resolve
            let name = plan.proxy.map { "the proxy \($0)" } ?? "\(target)"
            error.causes.append("look up \(name): no answer")
        }
        if let failure = waits.lazy.compactMap(\.failure).first {
            error.causes += failure.causes
            error.attempts = failure.attempts
        }
        return error
    }
}
