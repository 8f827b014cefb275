import SwiftletCore
import SwiftletMessages
import SwiftletTransport

/// `grpc.channelz.v1.Channelz`: describes the channels of the program, for tools such as
/// `grpcdebug`.
///
/// ```swift
/// let server = try LoopbackServer { $0.add(ChannelzService()) }
/// ```
///
/// The service describes the clients of the program, but not its own server: the list of servers is
/// empty. Channels of a ``FakeChannel`` are not listed. Responses contain no message counts and no
/// time of the last call, because recording these would make every call slower.
public struct ChannelzService: LoopbackService {
    /// The most channels in one response. The protocol's description suggests this number.
    private static let pageSize = 100

    /// Makes the service.
    public init() {}

    public func register(in methods: inout ServerMethods) {
        typealias Z = GRPC.Channelz
        methods.unary(Self.method("GetTopChannels", Z.GetTopChannelsRequest.self)) { request, _ in
            Self.topChannels(request)
        }
        methods.unary(Self.method("GetChannel", Z.GetChannelRequest.self)) { request, _ in
            var response = Z.GetChannelResponse()
            response.channel = Z.Channel(try Self.channel(request.channelID))
            return response
        }
        methods.unary(Self.method("GetSubchannel", Z.GetSubchannelRequest.self)) { request, _ in
            var response = Z.GetSubchannelResponse()
            response.subchannel = Z.Subchannel(try Self.subchannel(request.subchannelID))
            return response
        }
        methods.unary(Self.method("GetSocket", Z.GetSocketRequest.self)) { request, _ in
            var response = Z.GetSocketResponse()
            response.socket = Z.Socket(
                try Self.connection(request.socketID), isSummary: request.summary)
            return response
        }
        registerServers(in: &methods)
    }

    private func registerServers(in methods: inout ServerMethods) {
        typealias Z = GRPC.Channelz
        methods.unary(Self.method("GetServers", Z.GetServersRequest.self)) { _, _ in
            var response = Z.GetServersResponse()
            response.end = true
            return response
        }
        methods.unary(Self.method("GetServer", Z.GetServerRequest.self)) {
            (request, _) throws -> Z.GetServerResponse in
            throw Self.notFound("server", request.serverID)
        }
        methods.unary(Self.method("GetServerSockets", Z.GetServerSocketsRequest.self)) {
            (request, _) throws -> Z.GetServerSocketsResponse in
            throw Self.notFound("server", request.serverID)
        }
    }

    private static func method<Request: Message, Response: Message>(
        _ name: String, _ request: Request.Type
    ) -> Method<Request, Response> {
        Method(bundled: "/grpc.channelz.v1.Channelz/\(name)", .unary)
    }

    private static func notFound(_ what: String, _ id: Int64) -> RPCError {
        RPCError(.notFound, "no \(what) has the id \(id)")
    }
}

// MARK: - Look-ups

extension ChannelzService {
    private static func topChannels(
        _ request: GRPC.Channelz.GetTopChannelsRequest
    ) -> GRPC.Channelz.GetTopChannelsResponse {
        let limit = request.maxResults > 0 ? Int(clamping: request.maxResults) : pageSize
        let all = SwiftletCore.Channel.snapshots.filter {
            Int64(clamping: $0.id) >= request.startChannelID
        }
        var response = GRPC.Channelz.GetTopChannelsResponse()
        response.channel = all.prefix(limit).map { GRPC.Channelz.Channel($0) }
        response.end = all.count <= limit
        return response
    }

    private static func channel(_ id: Int64) throws(RPCError) -> ChannelSnapshot {
        guard let found = SwiftletCore.Channel.snapshots.first(where: { $0.id == id }) else {
            throw notFound("channel", id)
        }
        return found
    }

    private static func subchannel(_ id: Int64) throws(RPCError) -> SubchannelSnapshot {
        let all = SwiftletCore.Channel.snapshots.lazy.flatMap(\.subchannels)
        guard let found = all.first(where: { $0.id == id }) else {
            throw notFound("subchannel", id)
        }
        return found
    }

    private static func connection(_ id: Int64) throws(RPCError) -> ConnectionSnapshot {
        let all = SwiftletCore.Channel.snapshots.lazy.flatMap(\.subchannels)
            .flatMap(\.connections)
        guard let found = all.first(where: { $0.id == id }) else { throw notFound("socket", id) }
        return found
    }
}
