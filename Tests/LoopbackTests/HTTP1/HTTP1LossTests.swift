import Swiftlet
import SwiftletJSONRPC
import SwiftletLoopback
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A connection of HTTP/1.1 that is lost", .timeLimit(.minutes(5)))
struct HTTP1LossTests {
    private static let ok = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok"

    @Test("because its request was cancelled does not fail the request that waits for it")
    func abandonedRequest() async throws {
        let gate = BlockingGate()
        let large =
            "HTTP/1.1 200 OK\nContent-Length: 1000\n\n" + String(repeating: "x", count: 1000)
        let peer = try RawHTTP1 { connection, _ in
            guard connection == 1 else { return (Self.ok, false) }
            gate.wait()
            return (large, false)
        }
        var arguments = ChannelArguments()
        arguments.maxConnectionCount = 1
        let channel = try Channel(
            peer.target, version: .http1, credentials: .insecure, arguments: arguments)
        let first = Task {
            try await channel.request(
                .get, "/", options: .with { $0.maxReceiveByteCount = 100 })
        }
        try await eventually { peer.requestTexts.count == 1 }
        let (answers, continuation) = AsyncStream.makeStream(
            of: Result<HTTPAnswer, RPCError>.self)
        // The request waits for the connection when this function returns.
        try channel.startRequest(.post, "/") { continuation.yield($0) }
        gate.open()
        let error = await #expect(throws: RPCError.self) { try await first.value }
        #expect(error?.code == .resourceExhausted)
        for await answer in answers.prefix(1) { #expect(try answer.get().status == 200) }
        #expect(peer.connectionCount == 2)
    }

    @Test("as soon as it is made, is followed by another only after the delay")
    func lostAtOnce() async throws {
        let peer = try RawPeer(RawScript(opening: { _ in throw CancellationError() }))
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .seconds(100)
        let channel = try Channel(
            peer.target, version: .http1, credentials: .insecure, arguments: arguments)
        for _ in 0..<3 {
            let error = await #expect(throws: RPCError.self) {
                try await channel.request(.get, "/")
            }
            #expect(error?.code == .unavailable)
        }
        #expect(peer.connectionCount == 1)
        #expect(channel.connectivity == .transientFailure)
    }
}
