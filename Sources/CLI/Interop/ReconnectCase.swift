import Swiftlet
import SwiftletServices

/// The flags of `connection_backoff`.
struct ReconnectSettings: Sendable {
    var maxBackoff = Duration.seconds(120)
    /// Waits while the client reconnects without calls. Default: 540 s, as in the test description.
    var wait: @Sendable () async throws -> Void = Self.wait(for: .seconds(540))

    static func wait(for duration: Duration) -> @Sendable () async throws -> Void {
        { try await Task.sleep(for: duration) }
    }
}

extension InteropCase {
    private static let start = Method<GRPC.Testing.ReconnectParams, GRPC.Testing.Empty>(
        "/grpc.testing.ReconnectService/Start", .unary)
    private static let stop = Method<GRPC.Testing.Empty, GRPC.Testing.ReconnectInfo>(
        "/grpc.testing.ReconnectService/Stop", .unary)

    /// Checks that a client that cannot connect tries again, with growing delays
    /// (`doc/connection-backoff-interop-test-description.md`).
    static let reconnecting = [
        InteropCase("connection_backoff", peer: .ownServer) { server in
            guard let makeLost = server.makeLostChannel else {
                throw NotServed(reason: "needs --server_retry_port")
            }
            let settings = server.settings.reconnect
            try await server.withChannel(server.makeControlChannel) { client in
                let milliseconds = Int32(clamping: Int(settings.maxBackoff / .milliseconds(1)))
                _ = try await served(start.path) {
                    try await client.channel.unary(
                        start, .init(maxReconnectBackoffMs: milliseconds),
                        options: TestServiceClient.options())
                }
                let lost = try makeLost(settings.maxBackoff)
                lost.connect()
                try await settings.wait()
                let info = try await client.channel.unary(
                    stop, .init(), options: TestServiceClient.options())
                await lost.close()
                guard info.passed, info.backoffMs.count >= 2 else {
                    throw CaseFailure(reason: "the delays were \(info.backoffMs) ms")
                }
            }
        }
    ]
}
