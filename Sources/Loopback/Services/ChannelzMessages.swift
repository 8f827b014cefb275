import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown

// Snapshots as messages of channelz.

extension GRPC.Channelz.Channel {
    init(_ snapshot: ChannelSnapshot) {
        self.init()
        ref = GRPC.Channelz.ChannelRef()
        ref?.channelID = Int64(clamping: snapshot.id)
        ref?.name = snapshot.target
        data = GRPC.Channelz.ChannelData(
            snapshot.connectivity, target: snapshot.target, calls: snapshot.calls)
        data?.trace = GRPC.Channelz.ChannelTrace(snapshot)
        subchannelRef = snapshot.subchannels.map { GRPC.Channelz.SubchannelRef($0) }
    }
}

extension GRPC.Channelz.ChannelTrace {
    fileprivate init(_ snapshot: ChannelSnapshot) {
        self.init()
        numEventsLogged = Int64(snapshot.eventCount)
        creationTimestamp = Google.Protobuf.Timestamp(sinceEpoch: snapshot.creationTime)
        events = snapshot.events.map { event in
            var message = GRPC.Channelz.ChannelTraceEvent()
            message.text = event.description
            message.severity = event.isFailure ? .warning : .info
            message.timestamp = Google.Protobuf.Timestamp(sinceEpoch: event.time)
            return message
        }
    }
}

extension GRPC.Channelz.SubchannelRef {
    fileprivate init(_ snapshot: SubchannelSnapshot) {
        self.init()
        subchannelID = Int64(clamping: snapshot.id)
        name = snapshot.addresses.map(\.description).joined(separator: ",")
    }
}

extension GRPC.Channelz.Subchannel {
    init(_ snapshot: SubchannelSnapshot) {
        self.init()
        let reference = GRPC.Channelz.SubchannelRef(snapshot)
        ref = reference
        data = GRPC.Channelz.ChannelData(
            snapshot.connectivity, target: reference.name, calls: snapshot.calls)
        socketRef = snapshot.connections.map { GRPC.Channelz.SocketRef($0) }
    }
}

extension GRPC.Channelz.ChannelData {
    fileprivate init(_ connectivity: ConnectivityState, target: String, calls: CallCounts) {
        self.init()
        self.target = target
        state = GRPC.Channelz.ChannelConnectivityState()
        state?.state =
            switch connectivity {
            case .idle: .idle
            case .connecting: .connecting
            case .ready: .ready
            case .transientFailure: .transientFailure
            case .shutdown: .shutdown
            }
        callsStarted = Int64(calls.started)
        callsSucceeded = Int64(calls.succeeded)
        callsFailed = Int64(calls.failed)
    }
}

// MARK: - Connections

extension GRPC.Channelz.SocketRef {
    fileprivate init(_ snapshot: ConnectionSnapshot) {
        self.init()
        socketID = Int64(clamping: snapshot.id)
        name = snapshot.peer.description
    }
}

extension GRPC.Channelz.Socket {
    /// - Parameter isSummary: Whether the operating system's data, such as TCP_INFO, is omitted.
    init(_ snapshot: ConnectionSnapshot, isSummary: Bool) {
        self.init()
        ref = GRPC.Channelz.SocketRef(snapshot)
        var data = GRPC.Channelz.SocketData()
        data.streamsStarted = Int64(snapshot.streams.started)
        data.streamsSucceeded = Int64(snapshot.streams.succeeded)
        data.streamsFailed = Int64(snapshot.streams.failed)
        data.keepAlivesSent = Int64(snapshot.sentPingCount)
        data.remoteFlowControlWindow = Google.Protobuf.Int64Value(
            Int64(snapshot.sendWindowByteCount))
        if !isSummary, let tcp = snapshot.tcp {
            var option = GRPC.Channelz.SocketOption()
            option.name = "TCP_INFO"
            option.additional = Google.Protobuf.AnyMessage(
                packing: GRPC.Channelz.SocketOptionTcpInfo(tcp))
            data.option.append(option)
        }
        self.data = data
        local = snapshot.localAddress.map { GRPC.Channelz.Address($0) }
        remote = GRPC.Channelz.Address(snapshot.peer)
        remoteName = snapshot.peer.description
        if snapshot.isSecure {
            security = GRPC.Channelz.Security()
            security?.tls = GRPC.Channelz.TLS()
        }
    }
}

extension GRPC.Channelz.Address {
    fileprivate init(_ address: ServerAddress) {
        self.init()
        switch address.socketAddress {
        case .ipv4(let number, let port):
            let bytes = stride(from: 24, through: 0, by: -8).map {
                UInt8(truncatingIfNeeded: number >> UInt32($0))
            }
            tcpIPAddress = Self.tcp(bytes, port)
        case .ipv6(let bytes, let port, _):
            tcpIPAddress = Self.tcp((0..<16).map { bytes[$0] }, port)
        case .unix, .unixAbstract, .vsock:
            udsAddress = GRPC.Channelz.UdsAddress()
            udsAddress?.filename = address.description
        }
    }

    private static func tcp(_ bytes: [UInt8], _ port: UInt16) -> GRPC.Channelz.TcpIpAddress {
        var address = GRPC.Channelz.TcpIpAddress()
        address.ipAddress = bytes
        address.port = Int32(port)
        return address
    }
}

extension GRPC.Channelz.SocketOptionTcpInfo {
    fileprivate init(_ info: TCPInfo) {
        self.init()
        (state, caState, retransmits, probes) = (
            info.state, info.congestionState, info.retransmits, info.probes
        )
        (backoff, options) = (info.backoff, info.options)
        (sndWscale, rcvWscale) = (info.sendWindowScale, info.receiveWindowScale)
        let values = info.values
        (rto, ato, sndMss, rcvMss) = (values[0], values[1], values[2], values[3])
        (unacked, sacked, lost, retrans, fackets) = (
            values[4], values[5], values[6], values[7], values[8]
        )
        (lastDataSent, lastAckSent, lastDataRecv, lastAckRecv) = (
            values[9], values[10], values[11], values[12]
        )
        (pmtu, rcvSsthresh, rtt, rttvar) = (values[13], values[14], values[15], values[16])
        (sndSsthresh, sndCwnd, advmss, reordering) = (
            values[17], values[18], values[19], values[20]
        )
    }
}
