import SwiftletLoopback
import SwiftletMessages
import Testing

@testable import Swiftlet

@Suite("The channelz service", .timeLimit(.minutes(5)))
struct ServicesChannelzTests {
    private typealias Z = GRPC.Channelz

    private static func method<Request: Message, Response: Message>(
        _ name: String, _ request: Request.Type, _ response: Response.Type
    ) throws -> Method<Request, Response> {
        try Method(path: "/grpc.channelz.v1.Channelz/\(name)", .unary)
    }

    /// A channel to a server with the service, which has made a call.
    private static func channel() async throws -> (LoopbackServer, Channel, Int64) {
        let server = try LoopbackServer { server in
            server.unary(ManyServersTests.whoAmI) { _, _ in [1] }
            server.add(ChannelzService())
        }
        let channel = try Channel(server.target, credentials: .insecure)
        _ = try await channel.unary(ManyServersTests.whoAmI, [])
        return (server, channel, Int64(try #require(channel.snapshot).id))
    }

    @Test("leads from the channel by its subchannel to its connection")
    func path() async throws {
        let (server, channel, id) = try await Self.channel()
        var byID = Z.GetChannelRequest()
        byID.channelID = id
        let found = try await channel.unary(
            try Self.method("GetChannel", Z.GetChannelRequest.self, Z.GetChannelResponse.self), byID
        ).channel
        #expect(found?.ref?.name == server.target)
        #expect(found?.data?.state?.state == .ready)
        #expect((found?.data?.callsSucceeded ?? 0) >= 1)
        #expect(found?.data?.trace?.events.isEmpty == false)
        var subchannelRequest = Z.GetSubchannelRequest()
        subchannelRequest.subchannelID = try #require(found?.subchannelRef.first).subchannelID
        let subchannel = try await channel.unary(
            try Self.method(
                "GetSubchannel", Z.GetSubchannelRequest.self, Z.GetSubchannelResponse.self),
            subchannelRequest
        ).subchannel
        #expect(subchannel?.data?.target == server.target)
        var socketRequest = Z.GetSocketRequest()
        socketRequest.socketID = try #require(subchannel?.socketRef.first).socketID
        let socket = try await channel.unary(
            try Self.method("GetSocket", Z.GetSocketRequest.self, Z.GetSocketResponse.self),
            socketRequest
        ).socket
        #expect(socket?.remote?.tcpIPAddress?.ipAddress == [127, 0, 0, 1])
        #expect(socket?.remoteName == server.target)
        #if os(Linux)
            let option = try #require(socket?.data?.option.first)
            #expect(option.name == "TCP_INFO")
            let info = try option.additional?.unpack(as: Z.SocketOptionTcpInfo.self)
            #expect(info?.state == 1)
        #endif
        socketRequest.summary = true
        let summary = try await channel.unary(
            try Self.method("GetSocket", Z.GetSocketRequest.self, Z.GetSocketResponse.self),
            socketRequest
        ).socket
        #expect(summary?.data?.option.isEmpty == true)
    }

    @Test("lists the channels page by page")
    func pages() async throws {
        let (server, channel, id) = try await Self.channel()
        let (otherServer, other, otherID) = try await Self.channel()
        var request = Z.GetTopChannelsRequest()
        request.startChannelID = min(id, otherID)
        request.maxResults = 1
        let list = try Self.method(
            "GetTopChannels", Z.GetTopChannelsRequest.self, Z.GetTopChannelsResponse.self)
        let page = try await channel.unary(list, request)
        #expect(page.channel.map { $0.ref?.channelID } == [min(id, otherID)])
        #expect(!page.end)
        request.startChannelID = .max
        let end = try await other.unary(list, request)
        #expect(end.channel.isEmpty)
        #expect(end.end)
        withExtendedLifetime((server, otherServer)) {}
    }

    @Test("answers NOT_FOUND for an unknown socket, and lists no servers")
    func missing() async throws {
        let (server, channel, _) = try await Self.channel()
        var request = Z.GetSocketRequest()
        request.socketID = -5
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                try Self.method("GetSocket", Z.GetSocketRequest.self, Z.GetSocketResponse.self),
                request)
        }
        #expect(error?.code == .notFound)
        #expect(error?.message == "no socket has the id -5")
        let servers = try await channel.unary(
            try Self.method("GetServers", Z.GetServersRequest.self, Z.GetServersResponse.self),
            Z.GetServersRequest())
        #expect(servers.end)
        withExtendedLifetime(server) {}
    }
}
