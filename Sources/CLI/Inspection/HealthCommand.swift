import Swiftlet
import SwiftletServices

/// Calls `grpc.health.v1.Health`.
enum HealthCommand: Command {
    static let name = "health"
    static let usage = "health [TARGET] [SERVICE] [--watch] \(ChannelOptions.usage)"
    static let purpose = """
        prints whether a server, or one of its services, is able to serve; the exit status is 1
              for any answer but SERVING
        """
    static let examples = ["health localhost:50051", "health localhost:50051 shop.Cart --watch"]
    static let options: [CommandOption] =
        [.flag("watch", help: "prints each change until it is interrupted")] + ChannelOptions.all

    static func run(_ arguments: Arguments) async throws {
        try arguments.expectAtMost(2)
        let target = arguments.words.first ?? ChannelOptions.defaultTarget
        let service = arguments.words.count > 1 ? arguments.words[1] : ""
        let watches = arguments.has("--watch")
        let channel = try ChannelOptions.channel(
            target, arguments, timeout: watches ? nil : .seconds(20))
        try await channel.closing {
            let client = HealthClient(channel: channel)
            guard !watches else { return try await watch(service, client) }
            let status = try await client.check(service)
            print(status)
            guard status == .serving else { throw ExitStatus(status: 1) }
        }
    }

    private static func watch(_ service: String, _ client: HealthClient) async throws {
        for try await response in try await client.watch(service) {
            print(response.status)
            flushOutput()
        }
    }
}
