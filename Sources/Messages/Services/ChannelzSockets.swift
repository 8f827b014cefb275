package import SwiftletMessages

// The messages of grpc/channelz/v1/channelz.proto about connections, with the fields that a client
// fills.
extension GRPC.Channelz {
    /// An IP address and a port.
    package struct TcpIpAddress: Message {
        package var ipAddress: [UInt8] = []
        package var port: Int32 = 0
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Address.TcpIpAddress" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.bytes(1, &ipAddress)
            try field.int32(2, &port)
        }
    }

    /// A Unix domain socket.
    package struct UdsAddress: Message {
        package var filename = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Address.UdsAddress" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &filename)
        }
    }

    /// One of the two kinds of addresses.
    package struct Address: Message {
        package var tcpIPAddress: TcpIpAddress?
        package var udsAddress: UdsAddress?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Address" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &tcpIPAddress)
            try field.message(2, &udsAddress)
        }
    }

    /// Marks a connection as encrypted. The details are not reported.
    package struct TLS: Message {
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Security.Tls" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {}
    }

    /// How a connection is secured.
    package struct Security: Message {
        package var tls: TLS?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Security" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &tls)
        }
    }

    /// An option of a socket, or data of the system about the socket, such as TCP_INFO.
    package struct SocketOption: Message {
        package var name = ""
        package var value = ""
        package var additional: Google.Protobuf.AnyMessage?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.SocketOption" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.string(1, &name)
            try field.string(2, &value)
            try field.message(3, &additional)
        }
    }

    /// The data of a connection.
    package struct SocketData: Message {
        package var streamsStarted: Int64 = 0
        package var streamsSucceeded: Int64 = 0
        package var streamsFailed: Int64 = 0
        package var messagesSent: Int64 = 0
        package var messagesReceived: Int64 = 0
        package var keepAlivesSent: Int64 = 0
        package var localFlowControlWindow: Google.Protobuf.Int64Value?
        package var remoteFlowControlWindow: Google.Protobuf.Int64Value?
        package var option: [SocketOption] = []
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.SocketData" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int64(1, &streamsStarted)
            try field.int64(2, &streamsSucceeded)
            try field.int64(3, &streamsFailed)
            try field.int64(4, &messagesSent)
            try field.int64(5, &messagesReceived)
            try field.int64(6, &keepAlivesSent)
            try field.message(11, &localFlowControlWindow)
            try field.message(12, &remoteFlowControlWindow)
            try field.message(13, &option)
        }
    }

    /// A connection.
    package struct Socket: Message {
        package var ref: SocketRef?
        package var data: SocketData?
        package var local: Address?
        package var remote: Address?
        package var security: Security?
        package var remoteName = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Socket" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.message(1, &ref)
            try field.message(2, &data)
            try field.message(3, &local)
            try field.message(4, &remote)
            try field.message(5, &security)
            try field.string(6, &remoteName)
        }
    }

    /// Linux's `tcp_info`. The system defines the names.
    package struct SocketOptionTcpInfo: Message {
        package var state: UInt32 = 0
        package var caState: UInt32 = 0
        package var retransmits: UInt32 = 0
        package var probes: UInt32 = 0
        package var backoff: UInt32 = 0
        package var options: UInt32 = 0
        package var sndWscale: UInt32 = 0
        package var rcvWscale: UInt32 = 0
        package var rto: UInt32 = 0
        package var ato: UInt32 = 0
        package var sndMss: UInt32 = 0
        package var rcvMss: UInt32 = 0
        package var unacked: UInt32 = 0
        package var sacked: UInt32 = 0
        package var lost: UInt32 = 0
        package var retrans: UInt32 = 0
        package var fackets: UInt32 = 0
        package var lastDataSent: UInt32 = 0
        package var lastAckSent: UInt32 = 0
        package var lastDataRecv: UInt32 = 0
        package var lastAckRecv: UInt32 = 0
        package var pmtu: UInt32 = 0
        package var rcvSsthresh: UInt32 = 0
        package var rtt: UInt32 = 0
        package var rttvar: UInt32 = 0
        package var sndSsthresh: UInt32 = 0
        package var sndCwnd: UInt32 = 0
        package var advmss: UInt32 = 0
        package var reordering: UInt32 = 0
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.SocketOptionTcpInfo" }

        package mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.uint32(1, &state)
            try field.uint32(2, &caState)
            try field.uint32(3, &retransmits)
            try field.uint32(4, &probes)
            try field.uint32(5, &backoff)
            try field.uint32(6, &options)
            try field.uint32(7, &sndWscale)
            try field.uint32(8, &rcvWscale)
            try field.uint32(9, &rto)
            try field.uint32(10, &ato)
            try field.uint32(11, &sndMss)
            try field.uint32(12, &rcvMss)
            try field.uint32(13, &unacked)
            try field.uint32(14, &sacked)
            try field.uint32(15, &lost)
            try field.uint32(16, &retrans)
            try field.uint32(17, &fackets)
            try field.uint32(18, &lastDataSent)
            try field.uint32(19, &lastAckSent)
            try field.uint32(20, &lastDataRecv)
            try field.uint32(21, &lastAckRecv)
            try field.uint32(22, &pmtu)
            try field.uint32(23, &rcvSsthresh)
            try field.uint32(24, &rtt)
            try field.uint32(25, &rttvar)
            try field.uint32(26, &sndSsthresh)
            try field.uint32(27, &sndCwnd)
            try field.uint32(28, &advmss)
            try field.uint32(29, &reordering)
        }
    }
}
