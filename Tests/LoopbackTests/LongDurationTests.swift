import SwiftletBalancing
import SwiftletLoopback
import Testing

@testable import Swiftlet
@testable import SwiftletCore

@Suite("The longest duration", .timeLimit(.minutes(5)))
struct LongDurationTests {
    /// Its seconds are no `Int64`.
    private static let longest = Duration(attoseconds: .max)

    private static let changes: [(String, @Sendable (inout ChannelArguments) -> Void)] = [
        ("initialReconnectBackoff", { $0.initialReconnectBackoff = longest }),
        ("maxReconnectBackoff", { $0.maxReconnectBackoff = longest }),
        ("connectTimeout", { $0.connectTimeout = longest }),
        ("happyEyeballsDelay", { $0.happyEyeballsDelay = longest }),
        ("minResolutionInterval", { $0.minResolutionInterval = longest }),
        ("settingsTimeout", { $0.settingsTimeout = longest }),
        ("keepAliveInterval", { $0.keepAliveInterval = longest }),
        (
            "keepAliveTimeout",
            {
                $0.keepAliveInterval = .seconds(10)
                $0.keepAliveTimeout = longest
            }
        ),
        ("idleTimeout", { $0.idleTimeout = longest }),
        (
            "outOfBandReportingPeriod",
            {
                var policy = WeightedRoundRobin()
                policy.enableOutOfBandLoadReport = true
                policy.outOfBandReportingPeriod = longest
                $0.serviceConfig = ServiceConfig(balancing: policy)
            }
        ),
    ]

    @Test("may be each argument of a channel", arguments: changes.map(\.0))
    func arguments(name: String) async throws {
        let change = try #require(Self.changes.first { $0.0 == name }?.1)
        let server = try LoopbackServer { server in
            server.unary(HostileTrial.echo) { request, _ in request }
        }
        var arguments = ChannelArguments()
        change(&arguments)
        let options = CallOptions.with { $0.timeout = Self.longest }
        let channel = try Channel(server.target, credentials: .insecure, arguments: arguments)
        #expect(try await channel.unary(HostileTrial.echo, [1], options: options) == [1])
        await channel.close(grace: Self.longest)
        // No server listens on port 1.
        let refused = try Channel("127.0.0.1:1", credentials: .insecure, arguments: arguments)
        await #expect(throws: RPCError.self) {
            try await refused.unary(HostileTrial.echo, [1], options: options)
        }
    }
}
