package import SwiftletMessages

// The messages of grpc/channelz/v1/channelz.proto about channels, with the fields that a client
// fills.
extension GRPC.Channelz {
    /// Names a channel.
    package struct ChannelRef: Message {
        package var channelID: Int64 = 0
        package var name = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.ChannelRef" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.channelID)
            field.string(2, \.name)
        }
    }

    /// Names a subchannel.
    package struct SubchannelRef: Message {
        package var subchannelID: Int64 = 0
        package var name = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.SubchannelRef" }

        package static let layout = Layout<Self> { field in
            field.int64(7, \.subchannelID)
            field.string(8, \.name)
        }
    }

    /// Names a connection.
    package struct SocketRef: Message {
        package var socketID: Int64 = 0
        package var name = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.SocketRef" }

        package static let layout = Layout<Self> { field in
            field.int64(3, \.socketID)
            field.string(4, \.name)
        }
    }

    /// Names a server.
    package struct ServerRef: Message {
        package var serverID: Int64 = 0
        package var name = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.ServerRef" }

        package static let layout = Layout<Self> { field in
            field.int64(5, \.serverID)
            field.string(6, \.name)
        }
    }

    /// The state of a channel or subchannel.
    package struct ChannelConnectivityState: Message {
        package struct State: OpenEnum {
            package var rawValue: Int32

            package init(rawValue: Int32) { self.rawValue = rawValue }

            package static let idle = State(rawValue: 1)
            package static let connecting = State(rawValue: 2)
            package static let ready = State(rawValue: 3)
            package static let transientFailure = State(rawValue: 4)
            package static let shutdown = State(rawValue: 5)

            package var name: String? {
                switch rawValue {
                case 0: "UNKNOWN"
                case 1: "IDLE"
                case 2: "CONNECTING"
                case 3: "READY"
                case 4: "TRANSIENT_FAILURE"
                case 5: "SHUTDOWN"
                default: nil
                }
            }
        }

        package var state = State(rawValue: 0)
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.ChannelConnectivityState" }

        package static let layout = Layout<Self> { field in
            field.enumeration(1, \.state)
        }
    }

    /// Something that happened to a channel.
    package struct ChannelTraceEvent: Message {
        package struct Severity: OpenEnum {
            package var rawValue: Int32

            package init(rawValue: Int32) { self.rawValue = rawValue }

            package static let info = Severity(rawValue: 1)
            package static let warning = Severity(rawValue: 2)

            package var name: String? {
                switch rawValue {
                case 0: "CT_UNKNOWN"
                case 1: "CT_INFO"
                case 2: "CT_WARNING"
                case 3: "CT_ERROR"
                default: nil
                }
            }
        }

        package var text = ""
        package var severity = Severity(rawValue: 0)
        package var timestamp: Google.Protobuf.Timestamp?
        package var channelRef: ChannelRef?
        package var subchannelRef: SubchannelRef?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.ChannelTraceEvent" }

        package static let layout = Layout<Self> { field in
            field.string(1, \.text)
            field.enumeration(2, \.severity)
            field.message(3, \.timestamp)
            field.message(4, \.channelRef)
            field.message(5, \.subchannelRef)
        }
    }

    /// The last events of a channel.
    package struct ChannelTrace: Message {
        package var numEventsLogged: Int64 = 0
        package var creationTimestamp: Google.Protobuf.Timestamp?
        package var events: [ChannelTraceEvent] = []
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.ChannelTrace" }

        package static let layout = Layout<Self> { field in
            field.int64(1, \.numEventsLogged)
            field.message(2, \.creationTimestamp)
            field.message(3, \.events)
        }
    }

    /// The data of a channel or subchannel.
    package struct ChannelData: Message {
        package var state: ChannelConnectivityState?
        package var target = ""
        package var trace: ChannelTrace?
        package var callsStarted: Int64 = 0
        package var callsSucceeded: Int64 = 0
        package var callsFailed: Int64 = 0
        package var lastCallStartedTimestamp: Google.Protobuf.Timestamp?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.ChannelData" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.state)
            field.string(2, \.target)
            field.message(3, \.trace)
            field.int64(4, \.callsStarted)
            field.int64(5, \.callsSucceeded)
            field.int64(6, \.callsFailed)
            field.message(7, \.lastCallStartedTimestamp)
        }
    }

    /// A channel.
    package struct Channel: Message {
        package var ref: ChannelRef?
        package var data: ChannelData?
        package var channelRef: [ChannelRef] = []
        package var subchannelRef: [SubchannelRef] = []
        package var socketRef: [SocketRef] = []
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Channel" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.ref)
            field.message(2, \.data)
            field.message(3, \.channelRef)
            field.message(4, \.subchannelRef)
            field.message(5, \.socketRef)
        }
    }

    /// A subchannel.
    package struct Subchannel: Message {
        package var ref: SubchannelRef?
        package var data: ChannelData?
        package var channelRef: [ChannelRef] = []
        package var subchannelRef: [SubchannelRef] = []
        package var socketRef: [SocketRef] = []
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Subchannel" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.ref)
            field.message(2, \.data)
            field.message(3, \.channelRef)
            field.message(4, \.subchannelRef)
            field.message(5, \.socketRef)
        }
    }
}
