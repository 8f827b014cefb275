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

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int64(1, &channelID)
            try field.string(2, &name)
        }
    }

    /// Names a subchannel.
    package struct SubchannelRef: Message {
        package var subchannelID: Int64 = 0
        package var name = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.SubchannelRef" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int64(7, &subchannelID)
            try field.string(8, &name)
        }
    }

    /// Names a connection.
    package struct SocketRef: Message {
        package var socketID: Int64 = 0
        package var name = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.SocketRef" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int64(3, &socketID)
            try field.string(4, &name)
        }
    }

    /// Names a server.
    package struct ServerRef: Message {
        package var serverID: Int64 = 0
        package var name = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.ServerRef" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int64(5, &serverID)
            try field.string(6, &name)
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

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.enumeration(1, &state)
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

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &text)
            try field.enumeration(2, &severity)
            try field.message(3, &timestamp)
            try field.message(4, &channelRef)
            try field.message(5, &subchannelRef)
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

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int64(1, &numEventsLogged)
            try field.message(2, &creationTimestamp)
            try field.message(3, &events)
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

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &state)
            try field.string(2, &target)
            try field.message(3, &trace)
            try field.int64(4, &callsStarted)
            try field.int64(5, &callsSucceeded)
            try field.int64(6, &callsFailed)
            try field.message(7, &lastCallStartedTimestamp)
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

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &ref)
            try field.message(2, &data)
            try field.message(3, &channelRef)
            try field.message(4, &subchannelRef)
            try field.message(5, &socketRef)
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

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &ref)
            try field.message(2, &data)
            try field.message(3, &channelRef)
            try field.message(4, &subchannelRef)
            try field.message(5, &socketRef)
        }
    }
}
