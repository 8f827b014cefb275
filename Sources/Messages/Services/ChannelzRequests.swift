package import SwiftletMessages

// The requests and responses of grpc/channelz/v1/channelz.proto. `ChannelzService` does not report servers,
// so the responses have no field for a server.
extension GRPC.Channelz {
    /// Requests the channels of a program.
    package struct GetTopChannelsRequest: Message {
        package var startChannelID: Int64 = 0
        package var maxResults: Int64 = 0
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetTopChannelsRequest" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.startChannelID)
            field.int64(2, \.maxResults)
        }
    }

    /// Some of the channels.
    package struct GetTopChannelsResponse: Message {
        package var channel: [Channel] = []
        package var end = false
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetTopChannelsResponse" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.channel)
            field.bool(2, \.end)
        }
    }

    /// Requests the servers of a program.
    package struct GetServersRequest: Message {
        package var startServerID: Int64 = 0
        package var maxResults: Int64 = 0
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetServersRequest" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.startServerID)
            field.int64(2, \.maxResults)
        }
    }

    /// The servers. There are never any.
    package struct GetServersResponse: Message {
        package var end = false
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetServersResponse" }

        package static let layout = Layout<Self> { field in
            field.bool(2, \.end)
        }
    }

    /// Requests a server.
    package struct GetServerRequest: Message {
        package var serverID: Int64 = 0
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetServerRequest" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.serverID)
        }
    }

    /// The response to ``GetServerRequest``. It has no field for a server.
    package struct GetServerResponse: Message {
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetServerResponse" }

        package static let layout = Layout<Self> { _ in }
    }

    /// Requests the connections of a server.
    package struct GetServerSocketsRequest: Message {
        package var serverID: Int64 = 0
        package var startSocketID: Int64 = 0
        package var maxResults: Int64 = 0
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetServerSocketsRequest" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.serverID)
            field.int64(2, \.startSocketID)
            field.int64(3, \.maxResults)
        }
    }

    /// The connections of a server. There are never any.
    package struct GetServerSocketsResponse: Message {
        package var socketRef: [SocketRef] = []
        package var end = false
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetServerSocketsResponse" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.socketRef)
            field.bool(2, \.end)
        }
    }

    /// Requests a channel.
    package struct GetChannelRequest: Message {
        package var channelID: Int64 = 0
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetChannelRequest" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.channelID)
        }
    }

    /// A channel.
    package struct GetChannelResponse: Message {
        package var channel: Channel?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetChannelResponse" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.channel)
        }
    }

    /// Requests a subchannel.
    package struct GetSubchannelRequest: Message {
        package var subchannelID: Int64 = 0
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetSubchannelRequest" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.subchannelID)
        }
    }

    /// A subchannel.
    package struct GetSubchannelResponse: Message {
        package var subchannel: Subchannel?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetSubchannelResponse" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.subchannel)
        }
    }

    /// Requests a connection.
    package struct GetSocketRequest: Message {
        package var socketID: Int64 = 0
        package var summary = false
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetSocketRequest" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.socketID)
            field.bool(2, \.summary)
        }
    }

    /// A connection.
    package struct GetSocketResponse: Message {
        package var socket: Socket?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.GetSocketResponse" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.socket)
        }
    }
}
