import Swiftlet
import SwiftletXDS

/// Shows what control planes say.
enum MeshCommand: Command {
    static let name = "xds"
    static let usage = """
        xds [status] TARGET… [--timeout TIME] [--json]
        xds explain TARGET SERVICE/METHOD [-H 'NAME: VALUE'] [--authority NAME]
        [--timeout TIME] [--json]
        xds validate FILE… [--json]
        """
    static let purpose = """
        shows the resources that a control plane has for targets such as xds:///NAME; explains which
              route, cluster and servers a call would get, and why earlier routes do not match; or
              checks resources in JSON without a control plane
        """
    static let examples = [
        "xds xds:///payments.prod --xds-bootstrap bootstrap.json",
        "xds explain xds:///payments.prod pay.Payments/Charge -H 'x-tenant: blue'",
        "xds validate routes.json clusters.json",
    ]
    static let options: [CommandOption] =
        [
            .flag("json", help: "prints JSON"),
            .value(
                "timeout", named: "TIME",
                help: "how long to wait for the configuration; default: 20s"),
            .value("authority", named: "NAME", help: "the :authority, which chooses the routes"),
            MeshOption.option,
        ] + HeaderOption.options

    static func run(_ arguments: Arguments) async throws {
        let words = arguments.words
        switch words.first {
        case "explain": try await MeshExplanation.run(arguments)
        case "validate": try ResourceCheck.run(Array(words.dropFirst()), arguments)
        case "status": try await MeshStatus.run(Array(words.dropFirst()), arguments)
        default: try await MeshStatus.run(words, arguments)
        }
    }

    /// Begins to watch the configuration of a target.
    static func watch(
        _ target: String, _ arguments: Arguments
    ) throws -> XDS.ConfigurationWatch {
        guard MeshOption.isMesh(target) else {
            throw UsageError(
                message: "'\(target)' is not a target with a control plane (expected xds:///NAME)")
        }
        try MeshOption.enable(for: target, arguments)
        return try UsageError.whenInvalid {
            try XDS.ConfigurationWatch(target, authority: arguments["--authority"])
        }
    }

    /// Waits for an answer. Nil if there is none within the time of `--timeout`.
    static func answer<Answer: Sendable>(
        within limit: Duration, _ wait: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer? {
        try await withThrowingTaskGroup(of: Answer?.self) { group in
            group.addTask { try await wait() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    static func timeLimit(_ arguments: Arguments) throws -> Duration {
        try arguments.duration("--timeout") ?? .seconds(20)
    }
}
