package import SwiftletTransport

/// The state of a channel at one moment, as in gRPC's channelz.
///
/// ```swift
/// for snapshot in Channel.snapshots { print(snapshot) }
/// ```
public struct ChannelSnapshot: Sendable {
    /// The channel's number. Channels, subchannels and connections of a process share one sequence.
    public let id: UInt64
    /// The target, as it was written.
    public let target: String
    /// The channel's state.
    public let connectivity: ConnectivityState
    /// The policy that spreads calls; nil before the resolver's first result.
    public let policy: String?
    /// The calls of the channel.
    public let calls: CallCounts
    /// Calls that wait for a connection.
    public let waitingCallCount: Int
    /// The last 64 events, the oldest first.
    public let events: [ChannelEvent]
    /// The number of all events.
    public let eventCount: Int
    /// When the channel was made, as the time since the first of January 1970, UTC.
    public let creationTime: Duration
    /// The subchannels, in the order in which they were made.
    public let subchannels: [SubchannelSnapshot]
}

/// The part of a ``ChannelSnapshot`` about one endpoint.
public struct SubchannelSnapshot: Sendable {
    /// The subchannel's number in the process.
    public let id: UInt64
    /// The addresses of the endpoint.
    public let addresses: [ServerAddress]
    /// The state that is reported to the balancer.
    public let connectivity: ConnectivityState
    /// Why the subchannel is in TRANSIENT_FAILURE; nil in other states.
    public let failure: RPCError?
    /// The calls on its connections, including those that have ended.
    public let calls: CallCounts
    /// The connections, including those that accept no new calls.
    public let connections: [ConnectionSnapshot]
}

/// The part of a ``ChannelSnapshot`` about one connection.
public struct ConnectionSnapshot: Sendable {
    /// The connection's number in the process.
    public let id: UInt64
    /// The client's address; nil if the system does not report it.
    public let localAddress: ServerAddress?
    /// The address of the server.
    public let peer: ServerAddress
    /// Whether the connection is encrypted.
    public let isSecure: Bool
    /// Whether the connection accepts no new calls.
    public let isDraining: Bool
    /// The streams of the connection, or the requests on one of HTTP/1.1.
    public let streams: CallCounts
    /// The bytes that may be sent on the connection now (RFC 9113 §6.9); 0 on a connection of HTTP/1.1.
    public let sendWindowByteCount: Int
    /// PINGs that this side sent to find out whether the server is alive, or how fast it answers.
    public let sentPingCount: Int
    /// The system's measurements of the TCP connection; nil if it reports none.
    package let tcp: TCPInfo?
}

extension ConnectionSnapshot {
    package init(
        of link: any SubchannelLink, _ wire: borrowing LinkWire, isDraining: Bool,
        streams: CallCounts, sendWindowByteCount: Int = 0, sentPingCount: Int = 0
    ) {
        self.init(
            id: link.diagnosticID, localAddress: wire.localAddress.map { ServerAddress($0) },
            peer: ServerAddress(link.address), isSecure: wire.isSecure, isDraining: isDraining,
            streams: streams, sendWindowByteCount: sendWindowByteCount,
            sentPingCount: sentPingCount, tcp: wire.tcpInfo)
    }

    /// The round-trip time that TCP measured; nil if the system does not report it.
    public var roundTripTime: Duration? { tcp?.roundTripTime }
    /// The number of segments that TCP retransmitted; nil if the system does not report it.
    public var retransmissionCount: Int? { tcp.map { Int($0.retransmissionCount) } }
}

// MARK: - Text

extension ChannelSnapshot: CustomStringConvertible {
    /// A line for the channel, for each subchannel, for each connection, and for each event.
    public var description: String {
        let way = policy.map { ", \($0)" } ?? ""
        let waiting = waitingCallCount > 0 ? ", \(waitingCallCount) waiting" : ""
        var lines = [
            "channel \(id) to \(target): \(connectivity.protocolName)\(way); \(calls)\(waiting)"
        ]
        for subchannel in subchannels { lines += subchannel.lines }
        for event in events {
            lines.append("  \(WallClock.text(event.time)) \(event)")
        }
        return lines.joined(separator: "\n")
    }
}

extension SubchannelSnapshot {
    fileprivate var lines: [String] {
        let names = addresses.map(\.description).joined(separator: ",")
        let reason = failure.map { " (\($0.message))" } ?? ""
        return ["  subchannel \(id) to \(names): \(connectivity.protocolName)\(reason); \(calls)"]
            + connections.map { "    \($0)" }
    }
}

extension ConnectionSnapshot: CustomStringConvertible {
    public var description: String {
        let way = [localAddress?.description, peer.description].compactMap(\.self)
            .joined(separator: " → ")
        let kinds = (isSecure ? ", TLS" : "") + (isDraining ? ", draining" : "")
        let tcp = tcp.map {
            "; round trip \($0.roundTripTime.text(in: .milliseconds(1), digitCount: 3)) ms, "
                + "\($0.retransmissionCount) retransmissions, window \($0.congestionWindow) segments"
        }
        return "connection \(id) \(way)\(kinds); \(streams)\(tcp ?? "")"
    }
}
