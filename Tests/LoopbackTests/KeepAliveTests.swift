import Foundation
import Swiftlet
import SwiftletCore
import SwiftletLoopback
import Testing

@Suite("A connection that is probed", .timeLimit(.minutes(5)))
struct KeepAliveTests {
    private static let watch = Method<[UInt8], [UInt8]>(
        "/t.T/Watch", .serverStreaming, request: .bytes, reply: .bytes)

    private static func channel(
        to peer: RawPeer, on queue: CompletionQueue? = nil,
        _ change: (inout ChannelArguments) -> Void = { _ in }
    ) throws -> Channel {
        var arguments = ChannelArguments()
        arguments.shortestKeepAliveInterval = .zero
        arguments.keepAliveInterval = .milliseconds(20)
        arguments.keepAliveTimeout = .seconds(20)
        arguments.maxPingsWithoutData = 0
        change(&arguments)
        return try Channel(peer.target, credentials: .insecure, arguments: arguments, queue: queue)
    }

    /// Waits until the peer has received `count` further PINGs.
    private static func pings(_ count: Int, to peer: RawPeer) async throws {
        let end = peer.pingCount + count
        try await eventually { peer.pingCount >= end }
    }

    /// Makes calls until one succeeds. On a busy machine, a live peer may miss the keep-alive timeout.
    private static func answer(on channel: Channel) async {
        while !Task.isCancelled {
            let reply = try? await channel.unary(HostileTrial.echo, [1])
            if reply == RawPeer.replyBody { return }
        }
    }

    @Test("sends PINGs, and a quiet call continues while they are acknowledged")
    func quietCall() async throws {
        let peer = try RawPeer(.correct)
        peer.conduct = .hold
        let channel = try Self.channel(to: peer)
        let call = try await channel.bidirectional(HostileTrial.talk)
        var answers = call.responses.makeAsyncIterator()
        #expect(try await answers.next() == RawPeer.replyBody)
        try await Self.pings(5, to: peer)
        try await call.requests.write([1])
        #expect(try await answers.next() == RawPeer.replyBody)
        #expect(try await answers.next() == nil)
        #expect(peer.connectionCount == 1)
    }

    @Test("sends PINGs without calls only if the arguments request it")
    func idle() async throws {
        let peer = try RawPeer(.correct)
        let silent = try RawPeer(.correct)
        // The timers of both channels run on one thread.
        let queue = try CompletionQueue()
        let channel = try Self.channel(to: peer, on: queue) { $0.keepAliveWithoutCalls = true }
        let other = try Self.channel(to: silent, on: queue)
        peer.conduct = .reply
        silent.conduct = .reply
        _ = try await channel.unary(HostileTrial.echo, [1])
        _ = try await other.unary(HostileTrial.echo, [1])
        let before = silent.pingCount
        try await Self.pings(5, to: peer)
        // One PING may have been in flight when the call ended.
        #expect(silent.pingCount <= before + 1)
        #expect(peer.connectionCount == 1)
        #expect(silent.connectionCount == 1)
    }

    @Test("stays open while a large frame arrives, however slowly")
    func slowFrame() async throws {
        let body = [UInt8](repeating: 7, count: 60_000)
        var script = RawScript { connection, stream in
            try connection.headers(stream)
            let bytes = RawFrame.bytes(
                RawFrame.data, stream: stream, RawPrefixed.bytes(body))
            for start in stride(from: 0, to: bytes.count, by: 600) {
                try connection.send(Array(bytes[start..<min(start + 600, bytes.count)]))
                Thread.sleep(forTimeInterval: 0.06)
            }
            try connection.trailers(stream)
        }
        // The server could not acknowledge a PING in the middle of a frame.
        script.acknowledges = false
        let peer = try RawPeer(script)
        let channel = try Self.channel(to: peer) {
            $0.keepAliveTimeout = .seconds(4)
            $0.maxFrameByteCount = 1 << 20
            $0.streamWindowByteCount = 1 << 20
            $0.settingsTimeout = .seconds(60)
        }
        #expect(try await channel.unary(HostileTrial.echo, [1]) == body)
    }

    @Test("fails its call when the server does not acknowledge a PING", arguments: [false, true])
    func deadServer(_ acknowledges: Bool) async throws {
        // `stall()` blocks the server's thread, so it answers neither the tested call nor PINGs.
        var script = RawScript { _, _ in }
        script.acknowledges = acknowledges
        script.answer = { connection, _ in try connection.stall() }
        let peer = try RawPeer(script)
        peer.conduct = .reply
        let channel = try Self.channel(to: peer) { $0.keepAliveTimeout = .milliseconds(50) }
        if acknowledges { await Self.answer(on: channel) }
        peer.conduct = .misbehave
        let error = await #expect(throws: RPCError.self) {
            _ = try await channel.unary(HostileTrial.echo, [2])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("PING") == true, "\(error as Any)")
    }
}
