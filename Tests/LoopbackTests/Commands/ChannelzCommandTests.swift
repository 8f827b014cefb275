import Foundation
import SwiftletDynamic
import SwiftletLoopback
import Testing

@testable import Swiftlet
@testable import SwiftletCLI

@Suite("swiftlet channelz", .timeLimit(.minutes(5)))
struct ChannelzCommandTests {
    @Test("prints the channels of a program with their subchannels and sockets")
    func ownChannels() async throws {
        let server = try LoopbackServer { server in
            server.addGreeter()
            server.add(ChannelzService())
        }
        let channel = try Channel(server.target, credentials: .insecure)
        // The server has no health service.
        await #expect(throws: RPCError.self) { try await HealthClient(channel: channel).check() }
        let snapshot = try #require(channel.snapshot)
        let subchannel = try #require(snapshot.subchannels.first)
        let connection = try #require(subchannel.connections.first)

        let text = try await Program.run(["channelz", server.target])
        #expect(text.status == 0, "\(text.errors)")
        let lines = text.output.split(separator: "\n").map(String.init)
        let start = try #require(
            lines.firstIndex { $0.hasPrefix("channel \(snapshot.id) \(server.target): READY; 1 ") })
        #expect(lines[start].hasSuffix("calls: 0 succeeded, 1 failed"))
        #expect(lines[start + 1].hasPrefix("  subchannel \(subchannel.id) \(server.target): READY"))
        #expect(lines[start + 2].hasPrefix("    socket \(connection.id) 127.0.0.1:"))
        #expect(lines[start + 2].hasSuffix(" → \(server.target); 1 streams: 0 succeeded, 1 failed"))

        let verbose = try await Program.run(["channelz", server.target, "-v"])
        #expect(verbose.output.contains(" the channel is READY\n"))
        #expect(verbose.output.contains("      send window: "))

        let json = try await Program.run(["channelz", server.target, "--format", "json"])
        let listing = try #require(
            JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let channels = try #require(listing["channel"] as? [[String: Any]])
        let found = channels.first {
            ($0["ref"] as? [String: Any])?["channelId"] as? String == "\(snapshot.id)"
        }
        let data = try #require(found?["data"] as? [String: Any])
        #expect(data["target"] as? String == server.target)
        #expect(data["callsFailed"] as? String == "1")
        #expect((listing["socket"] as? [Any])?.isEmpty == false)
        await channel.close()
    }

    @Test("names a server without channelz")
    func missing() async throws {
        let server = try LoopbackServer { $0.addGreeter() }
        let run = try await Program.run(["channelz", server.target])
        #expect(run.status == 64 + 12)
        #expect(run.errors.contains("the server at \(server.target) does not offer channelz"))
    }

    @Test("prints channels that are nested without end")
    func nested() throws {
        let schema = try Schema(ProtoCompiler().compile(source: ChannelzSource.text))
        let type = try #require(schema.message("grpc.channelz.v1.Channel"))
        let count: Int64 = 100_000
        var listing = ChannelzListing()
        listing.topChannels = [1]
        for id in 1...count {
            let json =
                "{\"ref\": {\"channelId\": \(id)}, \"channelRef\": [{\"channelId\": \(id + 1)}]}"
            listing.channels[id] = ChannelzMessage(
                message: try DynamicMessage(json: json, as: type))
        }
        let lines = try ChannelzText.text(of: listing, isVerbose: false).split(separator: "\n")
        #expect(lines.count == Int(count))
        #expect(lines.last?.hasSuffix("  channel \(count) : UNKNOWN") == true)
    }

    @Test("reads a limited number of bytes")
    func manyBytes() async throws {
        let schema = try Schema(ProtoCompiler().compile(source: ChannelzSource.text))
        let name = "grpc.channelz.v1.GetTopChannelsResponse"
        let type = try #require(schema.message(name))
        let target = String(repeating: "a", count: 1 << 20)
        let lastID: Int64 = 100
        let pages = try (1...lastID).map { id in
            try DynamicMessage(
                json: """
                    {"channel": [{"ref": {"channelId": \(id)}, "data": {"target": "\(target)"}}],
                    "end": \(id == lastID)}
                    """, as: type
            ).encoded()
        }
        let calls = Counter()
        let server = try LoopbackServer { server in
            server.unary(Self.method("GetTopChannels")) { _, _ in
                calls.add()
                return pages[calls.count - 1]
            }
            server.unary(Self.method("GetServers")) { _, _ in [0x10, 0x01] }
        }
        let run = try await Program.run(["channelz", server.target])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.errors == "swiftlet: the server has more entities than are shown\n")
        #expect(calls.count == 64)
    }

    /// A server with canned answers to calls of channelz.
    private static func server(_ answers: String) throws -> LoopbackServer {
        let schema = try Schema(ProtoCompiler().compile(source: ChannelzSource.text))
        let service = try MockService(
            schema: schema, answers: try AnswerFile.read(Array(answers.utf8), schema: schema))
        return try LoopbackServer { $0.add(service) }
    }

    private static let servers = """
        {
          "grpc.channelz.v1.Channelz/GetTopChannels": [
            {"when": {"startChannelId": 2}, "reply": {"end": true}},
            {"reply": {"channel": [{"ref": {"channelId": 1}, "data": {"target": "a\\u001b[2Jb"},
              "channelRef": [{"channelId": 1}, {"channelId": 8}]}]}}
          ],
          "grpc.channelz.v1.Channelz/GetChannel": {"reply": {"channel": {
            "ref": {"channelId": 8, "name": "inner"}, "channelRef": [{"channelId": 1}]}}},
          "grpc.channelz.v1.Channelz/GetServers": {"reply": {"end": true, "server": [{
            "ref": {"serverId": 3, "name": "s"}, "listenSocket": [{"socketId": 4, "name": "l"}],
            "data": {"callsStarted": 7, "callsSucceeded": 5, "callsFailed": 2,
              "lastCallStartedTimestamp": "2026-01-02T03:04:05Z"}}]}},
          "grpc.channelz.v1.Channelz/GetServerSockets": [
            {"when": {"serverId": 3, "startSocketId": 6},
              "reply": {"end": true, "socketRef": [{"socketId": 9}]}},
            {"reply": {"socketRef": [{"socketId": 5}]}}
          ],
          "grpc.channelz.v1.Channelz/GetSocket": [
            {"when": {"socketId": 4}, "reply": {"socket": {"ref": {"socketId": 4},
              "local": {"tcpipAddress": {"ipAddress": "AAAAAAAAAAAAAAAAAAAAAQ==", "port": 80}}}}},
            {"when": {"socketId": 5}, "reply": {"socket": {"ref": {"socketId": 5},
              "remote": {"udsAddress": {"filename": "/run/a"}},
              "security": {"tls": {"standardName": "TLS_AES_128_GCM_SHA256"}},
              "data": {"streamsStarted": 7, "streamsSucceeded": 7, "messagesSent": 8,
                "messagesReceived": 9, "keepAlivesSent": 1,
                "option": [{"name": "SO_LINGER", "additional": {
                  "@type": "type.googleapis.com/grpc.channelz.v1.SocketOptionLinger"}}]}}}},
            {"status": {"code": "NOT_FOUND"}}
          ]
        }
        """

    @Test("prints servers and their sockets, nested channels once, and no control characters")
    func foreignServers() async throws {
        let server = try Self.server(Self.servers)
        let text = try await Program.run(["channelz", server.target])
        #expect(text.status == 0, "\(text.errors)")
        #expect(
            text.output == """
                channel 1 a [2Jb: UNKNOWN; 0 calls: 0 succeeded, 0 failed
                  channel 8 inner: UNKNOWN
                server 3 s; 7 calls: 5 succeeded, 2 failed, the last at 2026-01-02T03:04:05Z
                  listens on socket 4 [::1]:80
                  socket 5 /run/a, TLS (TLS_AES_128_GCM_SHA256); 7 streams: 7 succeeded, 0 failed; \
                8 messages sent, 9 received; 1 pings

                """)
        let json = try await Program.run(["channelz", server.target, "--format", "json"])
        let listing = try #require(
            JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
        let sockets = try #require((listing["serverSockets"] as? [[String: Any]])?.first)
        #expect(sockets["serverId"] as? String == "3")
        #expect((sockets["socketRef"] as? [Any])?.count == 2)
    }

    private static let hostile: [(answer: String, error: String)] = [
        ("{}", "GetTopChannels of the server sent a page that leads to no other page"),
        (
            "{\"channel\": [{\"ref\": {\"channelId\": -4}}]}",
            "GetTopChannels of the server sent a page that leads to no other page"
        ),
        (
            "{\"channel\": [{\"ref\": {\"channelId\": \"9223372036854775807\"}}]}",
            "GetTopChannels of the server sent a page that leads to no other page"
        ),
    ]

    @Test("fails when a list has no end", arguments: hostile)
    func endless(answer: String, error: String) async throws {
        let server = try Self.server(
            "{\"grpc.channelz.v1.Channelz/GetTopChannels\": {\"reply\": \(answer)}}")
        let run = try await Program.run(["channelz", server.target])
        #expect(run.status == 64 + 13)
        #expect(run.errors.contains(error), "\(run.errors)")
    }

    @Test("omits messages that have no form in JSON, and names them")
    func unprintable() async throws {
        let server = try LoopbackServer { server in
            server.unary(Self.method("GetTopChannels")) { _, _ in
                // Channel 5, created beyond the year 9999.
                [0x0a, 0x11, 0x0a, 0x02, 0x08, 0x05, 0x12, 0x0b, 0x1a, 0x09, 0x12, 0x07, 0x08]
                    + [0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 0x10, 0x01]
            }
            server.unary(Self.method("GetServers")) { _, _ in [0x10, 0x01] }
        }
        let run = try await Program.run(["channelz", server.target, "--format", "json"])
        #expect(run.status == 0, "\(run.errors)")
        #expect(run.output == "{}\n")
        #expect(run.errors.hasPrefix("swiftlet: channel 5 is left out: "))
        let text = try await Program.run(["channelz", server.target, "-v"])
        #expect(text.output == "channel 5 : UNKNOWN; 0 calls: 0 succeeded, 0 failed\n")
    }

    private static func method(_ name: String) -> Method<[UInt8], [UInt8]> {
        Method(
            trusted: "/grpc.channelz.v1.Channelz/\(name)", .unary, request: .bytes, reply: .bytes)
    }
}
