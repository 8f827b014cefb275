import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletObservation
import Testing

@testable import SwiftletCore

@Suite("A request", .timeLimit(.minutes(5)))
struct RequestLimitTests {
    private struct Header: CallCredentials {
        let metadata: Metadata
        var allowsInsecureConnections: Bool { true }
        func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
            metadata
        }
    }

    private static let echo = Method<[UInt8], [UInt8]>(
        "/t.T/Metadata", .unary, request: .bytes, reply: .bytes)

    /// Answers with the values of the request metadata `names`, joined by commas.
    private static func server(echoing names: [String]) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(echo) { _, context in
                let values = names.compactMap { context.metadata[$0] }
                return Array(values.joined(separator: ",").utf8)
            }
        }
    }

    @Test("above the limit of the server, which is 4 MiB by default, fails and names the limit")
    func size() async throws {
        let server = try Self.server(echoing: [])
        let channel = try Channel(server.target, credentials: .insecure)
        let most = try await channel.unary(Self.echo, [UInt8](repeating: 0, count: 4 << 20))
        #expect(most.isEmpty)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(Self.echo, [UInt8](repeating: 0, count: 4_194_305))
        }
        #expect(error?.code == .resourceExhausted)
        #expect(
            error?.message
                == "the client sent a message of 4194305 bytes, and the limit is 4194304; "
                + "raise maxRequestByteCount to accept it")
    }

    @Test("contains the metadata of its channel's credentials and its own, and prefers its own")
    func credentials() async throws {
        let server = try Self.server(echoing: ["x-project", "authorization"])
        let channel = try Channel(
            server.target, credentials: .insecure,
            defaultOptions: .with {
                $0.credentials = Header(metadata: ["x-project": "p", "authorization": "channel"])
            })
        let own = try await channel.unary(
            Self.echo, [],
            options: .with { $0.credentials = Header(metadata: ["authorization": "call"]) })
        #expect(String(decoding: own, as: UTF8.self) == "p,call")
        let defaults = try await channel.unary(Self.echo, [])
        #expect(String(decoding: defaults, as: UTF8.self) == "p,channel")
    }

    @Test("with a token that must not be sent without TLS was not executed")
    func refusedToken() async throws {
        let server = try Self.server(echoing: [])
        let token = BearerToken { BearerToken.Token("secret") }
        let byOptions = try Channel(server.target, credentials: .insecure)
        let byInterceptor = try Channel(
            server.target, credentials: .insecure, interceptors: [.all(.refreshing(token))])
        for (channel, options) in [
            (byOptions, CallOptions.with { $0.credentials = token }),
            (byInterceptor, CallOptions()),
        ] {
            let error = await #expect(throws: RPCError.self) {
                try await channel.unary(Self.echo, [], options: options)
            }
            #expect(error?.code == .unauthenticated)
            #expect(error?.mayHaveBeenExecuted == false)
        }
    }

    @Test("with headers above the server's limit fails before anything is sent")
    func headerListLimit() async throws {
        var script = RawScript.correct
        script.opening = { try $0.send(RawFrame.settings([(6, 1_000)])) }
        let peer = try RawPeer(script)
        let channel = try Channel(peer.target, credentials: .insecure)
        let large = CallOptions.with {
            $0.metadata = ["x-large": String(repeating: "a", count: 900)]
        }
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1], options: large)
        }
        #expect(error?.code == .resourceExhausted)
        #expect(error?.mayHaveBeenExecuted == false)
        #expect(error?.message.contains("limit of 1000 bytes") == true)
        #expect(peer.callCount == 0)
        let reply = try await channel.unary(HostileTrial.echo, [1])
        #expect(reply == RawPeer.replyBody)
    }

    @Test("is sent again only if the channel's limit allows keeping it")
    func replayLimit() async throws {
        for (limit, succeeds) in [(1 << 20, true), (256 << 10, false)] {
            let script = RawScript.butFirst { connection, stream in
                try connection.frame(RawFrame.resetStream, stream: stream, [0, 0, 0, 7])
            }
            let peer = try RawPeer(script)
            var arguments = ChannelArguments()
            try arguments.set("grpc.per_rpc_retry_buffer_size", to: .integer(limit))
            let channel = try Channel(peer.target, credentials: .insecure, arguments: arguments)
            let request = [UInt8](repeating: 1, count: 400 << 10)
            do throws(RPCError) {
                let reply = try await channel.unary(HostileTrial.echo, request)
                #expect(succeeds && reply == RawPeer.replyBody)
            } catch {
                #expect(!succeeds && error.code == .unavailable && !error.mayHaveBeenExecuted)
            }
        }
    }

    @Test("names only the compressions that the system can decompress")
    func compressions() {
        #expect(CompressionAlgorithm.supported(hasZlib: false) == [.identity])
        #expect(
            CompressionAlgorithm.supported(hasZlib: true).map(\.name) == [
                "identity", "deflate", "gzip",
            ])
        #expect(CompressionAlgorithm.accepted.hasPrefix("identity"))
    }

    @Test("to a path from outside the program is checked when it is made")
    func path() {
        for path in ["Ask", "", "/", "/a", "//b", "/a/", "/a b/c", "/ä/b"] {
            let error = #expect(throws: RPCError.self) {
                try Method<[UInt8], [UInt8]>(path: path, .unary, request: .bytes, reply: .bytes)
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.contains("expected /package.Service/Method") == true)
        }
    }
}
