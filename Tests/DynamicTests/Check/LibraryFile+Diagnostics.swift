import SwiftletMessages
import SwiftletServices

// Channelz and load reports. The library has only a part of their messages.
extension LibraryFile {
    static let channelz = [
        LibraryFile(
            name: "grpc/channelz/v1/channelz.proto", package: "grpc.channelz.v1",
            types: [
                "Channel": GRPC.Channelz.Channel.self,
                "Subchannel": GRPC.Channelz.Subchannel.self,
                "ChannelConnectivityState": GRPC.Channelz.ChannelConnectivityState.self,
                "ChannelData": GRPC.Channelz.ChannelData.self,
                "ChannelTraceEvent": GRPC.Channelz.ChannelTraceEvent.self,
                "ChannelTrace": GRPC.Channelz.ChannelTrace.self,
                "ChannelRef": GRPC.Channelz.ChannelRef.self,
                "SubchannelRef": GRPC.Channelz.SubchannelRef.self,
                "SocketRef": GRPC.Channelz.SocketRef.self,
                "ServerRef": GRPC.Channelz.ServerRef.self,
                "Socket": GRPC.Channelz.Socket.self,
                "SocketData": GRPC.Channelz.SocketData.self,
                "Address": GRPC.Channelz.Address.self,
                "Address.TcpIpAddress": GRPC.Channelz.TcpIpAddress.self,
                "Address.UdsAddress": GRPC.Channelz.UdsAddress.self,
                "Security": GRPC.Channelz.Security.self,
                "Security.Tls": GRPC.Channelz.TLS.self,
                "SocketOption": GRPC.Channelz.SocketOption.self,
                "SocketOptionTcpInfo": GRPC.Channelz.SocketOptionTcpInfo.self,
                "GetTopChannelsRequest": GRPC.Channelz.GetTopChannelsRequest.self,
                "GetTopChannelsResponse": GRPC.Channelz.GetTopChannelsResponse.self,
                "GetServersRequest": GRPC.Channelz.GetServersRequest.self,
                "GetServersResponse": GRPC.Channelz.GetServersResponse.self,
                "GetServerRequest": GRPC.Channelz.GetServerRequest.self,
                "GetServerResponse": GRPC.Channelz.GetServerResponse.self,
                "GetServerSocketsRequest": GRPC.Channelz.GetServerSocketsRequest.self,
                "GetServerSocketsResponse": GRPC.Channelz.GetServerSocketsResponse.self,
                "GetChannelRequest": GRPC.Channelz.GetChannelRequest.self,
                "GetChannelResponse": GRPC.Channelz.GetChannelResponse.self,
                "GetSubchannelRequest": GRPC.Channelz.GetSubchannelRequest.self,
                "GetSubchannelResponse": GRPC.Channelz.GetSubchannelResponse.self,
                "GetSocketRequest": GRPC.Channelz.GetSocketRequest.self,
                "GetSocketResponse": GRPC.Channelz.GetSocketResponse.self,
            ],
            absent: [
                // ChannelzService reports no servers.
                "Server", "ServerData",
                // The service never reports an address, a security or an option of these kinds.
                "Address.OtherAddress", "Security.OtherSecurity", "SocketOptionTimeout",
                "SocketOptionLinger",
            ],
            findings: [
                // The limit of connections is not reported.
                "ChannelData": [missing(8, "max_connections_per_subchannel", "uint32")],
                // These messages are only sent, and never with two fields of a oneof. So separate properties
                // are encoded like the oneof.
                "ChannelTraceEvent": [
                    separate(4, "channel_ref", "child_ref"),
                    separate(5, "subchannel_ref", "child_ref"),
                ],
                "Address": [
                    separate(1, "tcpip_address", "address"),
                    separate(2, "uds_address", "address"),
                    missing(3, "other_address", "message"),
                ],
                "Security": [
                    separate(1, "tls", "model"), missing(2, "other", "message"),
                ],
                // The service reports that a connection uses TLS, but not its cipher and certificates.
                "Security.Tls": [
                    missing(1, "standard_name", "string"), missing(2, "other_name", "string"),
                    missing(3, "local_certificate", "bytes"),
                    missing(4, "remote_certificate", "bytes"),
                ],
                // The times of a connection's last streams and messages are not recorded.
                "SocketData": [
                    missing(7, "last_local_stream_created_timestamp", "message"),
                    missing(8, "last_remote_stream_created_timestamp", "message"),
                    missing(9, "last_message_sent_timestamp", "message"),
                    missing(10, "last_message_received_timestamp", "message"),
                ],
                // ChannelzService reports no servers.
                "GetServersResponse": [missing(1, "server", "message")],
                "GetServerResponse": [missing(1, "server", "message")],
            ])
    ]

    static let loadReports = [
        LibraryFile(
            name: "xds/data/orca/v3/orca_load_report.proto", package: "xds.data.orca.v3",
            types: ["OrcaLoadReport": OrcaLoadReport.self],
            // Deprecated.
            findings: ["OrcaLoadReport": [missing(3, "rps", "uint64")]]),
        LibraryFile(
            name: "xds/service/orca/v3/orca.proto", package: "xds.service.orca.v3",
            types: ["OrcaLoadReportRequest": OrcaLoadReportRequest.self],
            // The server for tests always reports all costs.
            findings: [
                "OrcaLoadReportRequest": [missing(2, "request_cost_names", "string")]
            ]),
    ]

    private static func missing(_ number: Int, _ name: String, _ type: String) -> String {
        "field \(number) '\(name)' of type \(type) is missing; add it"
    }

    private static func separate(_ number: Int, _ name: String, _ oneof: String) -> String {
        "field \(number) '\(name)' is optional; declare it as a case of the oneof '\(oneof)'"
    }
}
