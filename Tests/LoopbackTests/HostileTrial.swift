import Swiftlet
import SwiftletLoopback

/// One call to a raw peer that misbehaves, with checks of the other calls on its connection.
struct HostileTrial {
    static let echo = Method<[UInt8], [UInt8]>(
        "/t.T/Echo", .unary, request: .bytes, reply: .bytes)
    static let echoes = Method<[UInt8], [UInt8]>(
        "/t.T/Echoes", .serverStreaming, request: .bytes, reply: .bytes)
    static let collect = Method<[UInt8], [UInt8]>(
        "/t.T/Collect", .clientStreaming, request: .bytes, reply: .bytes)
    static let talk = Method<[UInt8], [UInt8]>(
        "/t.T/Talk", .bidirectional, request: .bytes, reply: .bytes)

    /// The result of the call, and the effect on other calls of the connection.
    struct Outcome {
        /// 0 when the call succeeded.
        var code: Int
        var error: RPCError?
        var reply: [UInt8]?
        /// Whether the next call used the same connection.
        var isKept: Bool?
        /// Whether a call that was running on the same connection was answered afterwards; nil when
        /// there was no such call.
        var othersLive: Bool?
    }

    let peer: RawPeer
    let channel: Channel

    init(_ script: RawScript) throws {
        peer = try RawPeer(script)
        var arguments = ChannelArguments()
        arguments.initialReconnectBackoff = .milliseconds(20)
        arguments.maxReconnectBackoff = .milliseconds(20)
        channel = try Channel(peer.target, credentials: .insecure, arguments: arguments)
    }

    /// Makes the tested call while another is held open, and then the next call.
    func run(
        deadline: Duration = .seconds(2), holdsAnother: Bool = true, asksNext: Bool = true,
        request: [UInt8] = [9]
    ) async throws -> Outcome {
        var held: Conversation<[UInt8], [UInt8]>?
        var answers: ResponseStream<[UInt8]>.AsyncIterator?
        if holdsAnother {
            peer.conduct = .hold
            let conversation = try await channel.bidirectional(Self.talk)
            answers = conversation.responses.makeAsyncIterator()
            _ = try await answers?.next()
            held = conversation
        }
        // At least one: without a held call, the tested call opens the connection.
        let connectionCount = max(1, peer.connectionCount)
        peer.conduct = .misbehave
        var outcome = await subject(deadline, request)
        peer.conduct = .reply
        if let held { outcome.othersLive = await isAlive(held, &answers) }
        if asksNext { outcome.isKept = try await next(after: connectionCount) }
        return outcome
    }

    /// Whether a channel gets its reply while another channel of the same queue is connected to a
    /// server that misbehaves from the first byte on.
    static func livesOn(_ script: RawScript) async throws -> Bool {
        let hostile = try HostileTrial(script)
        let sound = try HostileTrial(.correct)
        hostile.peer.conduct = .misbehave
        sound.peer.conduct = .reply
        let options = CallOptions.with { $0.timeout = .seconds(120) }
        let waiting = Task { try await hostile.channel.unary(echo, [9], options: options) }
        try await eventually { hostile.peer.connectionCount > 0 }
        let reply = try await sound.channel.unary(echo, [9], options: options)
        waiting.cancel()
        _ = await waiting.result
        return reply == RawPeer.replyBody
    }

    private func subject(_ deadline: Duration, _ request: [UInt8]) async -> Outcome {
        do {
            let options = CallOptions.with { $0.timeout = deadline }
            let reply = try await channel.unary(Self.echo, request, options: options)
            return Outcome(code: 0, reply: reply)
        } catch {
            return Outcome(code: error.code.rawValue, error: error)
        }
    }

    private func isAlive(
        _ held: Conversation<[UInt8], [UInt8]>,
        _ answers: inout ResponseStream<[UInt8]>.AsyncIterator?
    ) async -> Bool {
        do {
            try await held.requests.write([1])
            let answer = try await answers?.next()
            let end = try await answers?.next()
            return answer == RawPeer.replyBody && end == nil
        } catch {
            return false
        }
    }

    /// Makes another call, which must be answered. Returns false if the channel has opened a new
    /// connection, for this call or by itself before it.
    private func next(after connectionCount: Int) async throws -> Bool {
        let options = CallOptions.with {
            $0.waitForReady = true
            $0.timeout = .seconds(120)
        }
        _ = try await channel.unary(Self.echo, [9], options: options)
        return peer.connectionCount == connectionCount
    }
}
