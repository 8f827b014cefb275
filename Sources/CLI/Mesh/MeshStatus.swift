import Swiftlet
import SwiftletXDS

/// `swiftlet xds TARGET…`.
enum MeshStatus {
    /// The end of the wait for a configuration.
    enum Outcome: Sendable {
        case complete
        /// The message of calls.
        case failed(String)
        case late
    }

    static func run(_ targets: [String], _ arguments: Arguments) async throws {
        guard !targets.isEmpty else { throw UsageError(message: "TARGET is missing") }
        let limit = try MeshCommand.timeLimit(arguments)
        let watches = try targets.map { try MeshCommand.watch($0, arguments) }
        var outcomes: [String: Outcome] = [:]
        try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
            for (index, watch) in watches.enumerated() {
                group.addTask { (index, try await outcome(of: watch, within: limit)) }
            }
            for try await (index, outcome) in group { outcomes[targets[index]] = outcome }
        }
        let status = await XDS.status
        // Until here, they keep what the status is about.
        withExtendedLifetime(watches) {}
        let text = MeshStatusText(status: status, outcomes: outcomes)
        printText(arguments.has("--json") ? text.json : text.text)
        try end(outcomes.values.map { $0 })
    }

    private static func outcome(
        of watch: XDS.ConfigurationWatch, within limit: Duration
    ) async throws -> Outcome {
        let outcome = try await MeshCommand.answer(within: limit) { () -> Outcome in
            try await watch.settle().map { .failed($0) } ?? .complete
        }
        return outcome ?? .late
    }

    /// Ends the program with the status of a failed call, if a configuration is missing.
    private static func end(_ outcomes: [Outcome]) throws {
        for outcome in outcomes {
            if case .failed = outcome { throw status(.unavailable) }
        }
        for outcome in outcomes {
            if case .late = outcome { throw status(.deadlineExceeded) }
        }
    }

    private static func status(_ code: StatusCode) -> ExitStatus {
        ExitStatus(status: 64 + Int32(code.rawValue))
    }
}
