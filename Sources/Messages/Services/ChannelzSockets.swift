package import SwiftletMessages
package import SwiftletWellKnown

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

        package static let layout = Layout<Self> { field in
            field.bytes(1, \.ipAddress)
            field.int32(2, \.port)
        }
    }

    /// A Unix domain socket.
    package struct UdsAddress: Message {
        package var filename = ""
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Address.UdsAddress" }

        package static let layout = Layout<Self> { field in
            field.string(1, \.filename)
        }
    }

    /// One of the two kinds of addresses.
    package struct Address: Message {
        package var tcpIPAddress: TcpIpAddress?
        package var udsAddress: UdsAddress?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Address" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.tcpIPAddress)
            field.message(2, \.udsAddress)
        }
    }

    /// Marks a connection as encrypted. The details are not reported.
    package struct TLS: Message {
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Security.Tls" }

        package static let layout = Layout<Self> { _ in }
    }

    /// How a connection is secured.
    package struct Security: Message {
        package var tls: TLS?
        package var unknownFields = UnknownFields()

        package init() {}

        package static var messageName: String { "grpc.channelz.v1.Security" }

        package static let layout = Layout<Self> { field in
            field.message(1, \.tls)
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

        package static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.string(2, \.value)
            field.message(3, \.additional)
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

        package static let layout = Layout<Self> { field in
            field.int64(1, \.streamsStarted)
            field.int64(2, \.streamsSucceeded)
            field.int64(3, \.streamsFailed)
            field.int64(4, \.messagesSent)
            field.int64(5, \.messagesReceived)
            field.int64(6, \.keepAlivesSent)
            field.message(11, \.localFlowControlWindow)
            field.message(12, \.remoteFlowControlWindow)
            field.message(13, \.option)
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

        package static let layout = Layout<Self> { field in
            field.message(1, \.ref)
            field.message(2, \.data)
            field.message(3, \.local)
            field.message(4, \.remote)
            field.message(5, \.security)
            field.string(6, \.remoteName)
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

        package static let layout = Layout<Self> { field in
            field.uint32(1, \.state)
            field.uint32(2, \.caState)
            field.uint32(3, \.retransmits)
            field.uint32(4, \.probes)
            field.uint32(5, \.backoff)
            field.uint32(6, \.options)
            field.uint32(7, \.sndWscale)
            field.uint32(8, \.rcvWscale)
            field.uint32(9, \.rto)
            field.uint32(10, \.ato)
            field.uint32(11, \.sndMss)
            field.uint32(12, \.rcvMss)
            field.uint32(13, \.unacked)
            field.uint32(14, \.sacked)
            field.uint32(15, \.lost)
            field.uint32(16, \.retrans)
            field.uint32(17, \.fackets)
            field.uint32(18, \.lastDataSent)
            field.uint32(19, \.lastAckSent)
            field.uint32(20, \.lastDataRecv)
            field.uint32(21, \.lastAckRecv)
            field.uint32(22, \.pmtu)
            field.uint32(23, \.rcvSsthresh)
            field.uint32(24, \.rtt)
            field.uint32(25, \.rttvar)
            field.uint32(26, \.sndSsthresh)
            field.uint32(27, \.sndCwnd)
            field.uint32(28, \.advmss)
            field.uint32(29, \.reordering)
        }
    }
}
