import SwiftletTransport
import Synchronization

// The errors of calls whose deadline has passed, and of other waits. They say what was waited for.

extension ChannelCore {
    func deadlineError(of call: CallCore) -> RPCError {
        var error =
            call.hasStream
            ? call.deadlineErrorOfSent(to: target)
            : lateError { "the deadline passed \($0.whileCallsWait) to \(target)" }
        // Without a thread that turns the queue, nothing is sent or received, so the network is not the cause.
        if loop.isTurnedByHand, !loop.isTurning {
            error.message +=
                "; no thread turned the channel's completion queue: call next() on it while calls run"
        }
        return error
    }

    /// The error of a wait for a connection: what is being done for one, and the last failure.
    func lateError(_ message: (ConnectivityState) -> String) -> RPCError {
        let (connectivity, members, picker) = state.withLock {
            ($0.connectivity, Array($0.members.values), $0.picker)
        }
        var error = RPCError(.deadlineExceeded, message(connectivity))
        error.phase = .connect
        let waits = members.map(\.waitState)
        if let progress = waits.lazy.compactMap(\.attempt).first?.progress, let last = progress.last
        {
            error.phase = last.phase
            error.causes = progress.map(\.text)
        } else if picker == nil, connectivity == .connecting {
            error.phase = .resolve
            let name = plan.proxy.map { "the proxy \($0)" } ?? "\(target)"
            error.causes = ["look up \(name): no answer"]
        }
        if let failure = waits.lazy.compactMap(\.failure).first {
            error.causes += failure.causes
            error.attempts = failure.attempts
            error.reconnection = members.lazy.compactMap(\.reconnection).first
        } else if members.isEmpty, let failure = (picker as? FailingPicker)?.error {
            // The resolver has failed, or its endpoints cannot be used.
            error.phase = failure.phase
            error.causes = [failure.message] + failure.causes
            error.attempts = failure.attempts
            error.reconnection = failure.reconnection
        }
        return error
    }
}
