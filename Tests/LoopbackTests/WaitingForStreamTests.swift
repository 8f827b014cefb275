import SwiftletLoopback
import SwiftletTransport
import Testing

@testable import SwiftletCore

@Suite("A call that waits for a stream of a subchannel")
struct WaitingForStreamTests {
    private static func state(_ links: [Link], waiting call: CallCore) -> SubchannelCore.State {
        var state = SubchannelCore.State(
            addresses: [.ipv4Loopback(port: 1)],
            backoff: Backoff(.init(initial: .seconds(1), jitter: 0)), maxConnectionCount: 3,
            streams: SubchannelStreams(healthService: nil))
        state.links = links
        state.move(to: .ready)
        _ = state.waiting.append(call)
        return state
    }

    @Test("waits while a connection is open, and gets another pick when the last one is drained")
    func drained() throws {
        let clients = try (0..<2).map { _ in try LinkClient() }
        let links = try clients.map { try $0.connect().0 }
        let call = CallCore(
            CallHead(
                MethodSignature(path: "/t.T/Echo", shape: .unary, contentSubtype: nil),
                CallOptions(), MessageLimits()),
            deadline: .never, backend: clients[0], observer: SingleResponse())
        var state = Self.state(links, waiting: call)
        let first = state.drain([links[0]], at: .now)
        #expect(first.isEmpty)
        #expect(state.waiting.count == 1)
        let second = state.drain([links[1]], at: .now)
        #expect(second.count == 1)
        #expect(second.first === call)
        #expect(state.waiting.isEmpty)
        #expect(state.report(target: try Target("a.test")).connectivity == .idle)
        for link in links { link.end(with: LinkError(phase: .http2, cause: "the test is over")) }
    }

    @Test("may wait for one more connection, whose delay does not count attempts that succeeded")
    func additionalConnection() throws {
        let client = try LinkClient()
        let (link, server) = try client.connect()
        try server.send(RawFrame.settings([]))
        let call = client.start(SingleResponse())
        var state = Self.state([link], waiting: call)
        for _ in 0..<3 {
            let (delay, _) = state.beginAttempt(
                connectTimeout: .seconds(20), at: .now + .seconds(10))
            #expect(delay == .seconds(1))
        }
        link.end(with: LinkError(phase: .http2, cause: "the test is over"))
    }
}
