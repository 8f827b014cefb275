import Foundation
import Swiftlet
import Synchronization

/// Counts the outcomes of the calls.
final class FaultTally: Sendable {
    private struct State {
        var begun = 0
        var ended = 0
        var failures: [String: Int] = [:]
        var lateFailures: [String: Int] = [:]
    }

    private let state = Mutex(State())

    func count(
        _ shape: FaultyCall, _ call: (FaultyCall) async throws -> Void
    ) async {
        state.withLock { $0.begun += 1 }
        do {
            try await call(shape)
            state.withLock { $0.ended += 1 }
        } catch {
            let text = "\(shape): \(Self.cause(error))"
            state.withLock { state in
                state.ended += 1
                state.failures[text, default: 0] += 1
            }
        }
    }

    func countAfterwards(_ call: () async throws -> Void) async {
        do {
            try await call()
        } catch {
            state.withLock { $0.lateFailures[Self.cause(error), default: 0] += 1 }
        }
    }

    private static func cause(_ error: any Error) -> String {
        guard let error = error as? RPCError else { return "\(error)" }
        let began = error.timeline?.firstByte == nil ? "" : " in the middle of its answer"
        return "\(error.code)\(began) after \(error.attempts.count + 1) attempts: \(error.message)"
    }

    /// Prints the figures. Throws if a call did not end, or if a call failed that could have been sent again.
    func report(on servers: FaultyServers) throws(Failure) {
        let state = state.withLock { $0 }
        print(
            "servers: \(servers.counts.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" })")
        print("calls: \(state.begun) begun, \(state.ended) ended")
        for (cause, count) in state.failures.sorted(by: { $0.value > $1.value }) {
            print("  \(count) × \(cause)")
        }
        for (cause, count) in state.lateFailures { print("  afterwards: \(count) × \(cause)") }
        let lost = state.begun - state.ended
        guard lost == 0 else { throw Failure("\(lost) calls were lost") }
        // A call whose response has begun is not retried (proposal A6). Any other call is retried until
        // all attempts were made.
        let allowed = ["UNAVAILABLE in the middle of its answer", "UNAVAILABLE after 5 attempts"]
        let wrong = state.failures.keys.filter { failure in
            !allowed.contains { failure.drop { $0 != " " }.dropFirst().hasPrefix($0) }
        }
        guard wrong.isEmpty else { throw Failure("calls failed before all attempts were made") }
        guard state.lateFailures.isEmpty else {
            throw Failure("calls failed after the faults had ended")
        }
        print("ok")
    }
}
