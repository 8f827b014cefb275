import Swiftlet
import SwiftletTransport
import Testing

@testable import SwiftletLoopback

@Suite("A port that closes every connection", .timeLimit(.minutes(5)))
struct ServicesReconnectTests {
    private static let start = Method<GRPC.Testing.ReconnectParams, GRPC.Testing.Empty>(
        "/grpc.testing.ReconnectService/Start", .unary)
    private static let stop = Method<GRPC.Testing.Empty, GRPC.Testing.ReconnectInfo>(
        "/grpc.testing.ReconnectService/Stop", .unary)

    @Test("is connected to again, and the server records each connection")
    func record() async throws {
        let reconnects = try ReconnectService(initialBackoff: .milliseconds(1))
        let server = try LoopbackServer { $0.add(reconnects) }
        let control = try Channel(server.target, credentials: .insecure)
        _ = try await control.unary(Self.start, .init(maxReconnectBackoffMs: 2))
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .milliseconds(1)
        arguments.maxReconnectBackoff = .milliseconds(2)
        let lost = try Channel(reconnects.target, credentials: .insecure, arguments: arguments)
        lost.connect()
        try await eventually { reconnects.arrivalCount >= 4 }
        let info = try await control.unary(Self.stop, .init())
        #expect(info.backoffMs.count >= 3)
        await lost.close()
    }

    @Test(
        "checks the delays against the specification",
        arguments: [
            ([1_000, 1_600, 2_560, 3_000, 3_000], true),
            // At the edges of the jitter.
            ([800, 1_920, 2_048, 3_600, 2_400], true),
            ([], true),
            ([500], false),
            ([1_000, 1_000], false),
            ([1_000, 1_600, 2_560, 4_096], false),
        ])
    func verdict(delays: [Int], isRight: Bool) {
        var arrivals = [MonotonicInstant.now]
        for delay in delays { arrivals.append(arrivals[arrivals.count - 1] + .milliseconds(delay)) }
        let info = BackoffVerdict.of(arrivals, initial: .seconds(1), maximum: .seconds(3))
        #expect(info.passed == isRight)
        #expect(info.backoffMs == delays.map { Int32($0) })
    }
}
