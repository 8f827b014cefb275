import Swiftlet
import SwiftletTransport
import SwiftletXDS

/// `swiftlet xds explain TARGET SERVICE/METHOD`.
enum MeshExplanation {
    static func run(_ arguments: Arguments) async throws {
        let target = try arguments.word(1, "TARGET")
        let method = try MethodReference(try arguments.word(2, "SERVICE/METHOD"))
        try arguments.expectAtMost(3)
        let metadata = try HeaderOption.metadata(HeaderOption.lines(arguments))
        let limit = try MeshCommand.timeLimit(arguments)
        let watch = try MeshCommand.watch(target, arguments)
        let explanation = try await MeshCommand.answer(within: limit) {
            try await watch.explanation(for: "/\(method)", metadata)
        }
        guard let explanation else { throw await late(target, limit) }
        let text = ExplanationText(explanation: explanation)
        printText(arguments.has("--json") ? text.json : text.text)
    }

    /// Names the resources that have not arrived.
    private static func late(_ target: String, _ limit: Duration) async -> RPCError {
        let missing = await XDS.status.targets.filter { $0.target == target }
            .flatMap(\.resources).filter { $0.lastUpdate == nil }
            .map { "\($0.type) \(PeerText.clean($0.name, upTo: 200)) is \($0.state.protocolName)" }
        return RPCError(
            .deadlineExceeded,
            "the configuration of \(target) is not complete after \(limit): "
                + missing.prefix(10).joined(separator: "; "))
    }
}
