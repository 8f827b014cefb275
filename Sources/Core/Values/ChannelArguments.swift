import SwiftletTransport

/// How a channel behaves, as properties or under the names that gRPC's other clients use.
///
/// ```swift
/// var arguments = ChannelArguments()
/// arguments.keepAliveInterval = .seconds(60)
/// try arguments.set("grpc.max_receive_message_length", to: 16_777_216)
/// ```
public struct ChannelArguments: Hashable, Sendable {
    /// A value under a name.
    public enum Value: Hashable, Sendable, ExpressibleByIntegerLiteral,
        ExpressibleByStringLiteral, ExpressibleByBooleanLiteral
    {
        case integer(Int)
        case string(String)
        case flag(Bool)

        public init(integerLiteral value: Int) { self = .integer(value) }
        public init(stringLiteral value: String) { self = .string(value) }
        public init(booleanLiteral value: Bool) { self = .flag(value) }
    }

    /// The delay after the first failure to connect; never above ``maxReconnectBackoff``, nor below
    /// a millisecond.
    public var initialReconnectBackoff = Duration.seconds(1)
    /// The longest delay between two attempts to connect.
    public var maxReconnectBackoff = Duration.seconds(120)
    /// How long one attempt to connect may take, handshakes and all addresses included.
    public var connectTimeout = Duration.seconds(20)
    /// How long an attempt at one address may take before the next begins beside it.
    public var happyEyeballsDelay = Duration.milliseconds(250)

    /// Header lists above this are refused. There is no softer limit below it: the name that other
    /// clients have for theirs, `grpc.max_metadata_size`, sets this to five quarters of its value,
    /// and to 16 KiB at the least.
    public var maxMetadataByteCount = leastHardMetadataLimit
    /// It was set by the name of the limit that holds always.
    var hasHardMetadataLimit = false
    static let leastHardMetadataLimit = 16 << 10
    /// What is remembered of the headers that are sent, to send them shorter (RFC 7541 §4.2); the
    /// server may allow less.
    public var encoderTableByteCount = 4_096
    /// What the server may ask to have remembered of the headers that it sends.
    public var decoderTableByteCount = 4_096
    /// Nil is no limit.
    public var maxReceiveMessageByteCount: Int? = 4 << 20
    /// Nil is no limit.
    public var maxSendMessageByteCount: Int?
    /// Streams on one connection at most; the server may allow fewer.
    public var maxConcurrentStreams: Int?
    /// Connections at most. One more is opened only while the streams on those that there are have
    /// reached the server's limit, and those that are not needed any more are closed.
    public var maxConnectionCount = 1
    /// The receive window of a stream; nil leaves it to the measured bandwidth × delay.
    public var streamWindowByteCount: Int?
    /// The largest frame that the server may send.
    public var maxFrameByteCount = 16_384
    /// Whether receive windows grow with the measured bandwidth × delay, where
    /// ``streamWindowByteCount`` does not say how large they are.
    public var measuresBandwidth = true
    /// How long the server may leave our SETTINGS unanswered; nil is twice the
    /// ``keepAliveTimeout``, and a minute at least.
    public var settingsTimeout: Duration?

    /// How long a connection may be silent before it is probed; nil is never. Less than ten seconds
    /// is taken for ten: servers take more frequent probes for abuse.
    public var keepAliveInterval: Duration?
    /// How long the server has to answer a probe before its connection is given up.
    public var keepAliveTimeout = Duration.seconds(20)
    /// Whether a connection is probed while no call runs on it.
    public var keepAliveWithoutCalls = false
    /// Probes that may follow one another with nothing sent in between, before there is only one in
    /// five minutes; 0 is no limit.
    public var maxPingsWithoutData = 2
    /// Proposal A8: no more often than every ten seconds, whatever was asked for.
    package var shortestKeepAliveInterval = Duration.seconds(10)
    /// After this long without calls the connection is closed, and after a second at the least;
    /// nil is never. The channel looks once in each such time whether it was used since, so that a
    /// call costs no timer: it may stay open for up to twice as long.
    public var idleTimeout: Duration? = .seconds(1_800)

    /// Knows whether the machine has a network. When it is lost, calls to other machines end at
    /// once; when it is back, reconnecting does not wait. Nil does without.
    public var connectivityMonitor: ConnectivityMonitor?

    /// Stands before the library's own name in the user agent.
    public var userAgentPrefix: String?
    /// Stands behind it.
    public var userAgentSuffix: String?
    /// Stands in for the target in `:authority`.
    public var defaultAuthority: String?
    /// The name that the server's certificate must be for, in place of the target's.
    public var targetNameOverride: String?
    /// How requests are compressed, unless a call says otherwise.
    public var defaultCompression = CompressionAlgorithm.identity

    public init() {}

    /// Arguments by name. Throws at the first that is unknown or of the wrong type.
    public init(_ values: [String: Value]) throws(RPCError) {
        for (name, value) in values.sorted(by: { $0.key < $1.key }) { try set(name, to: value) }
    }
}

// MARK: - What they amount to

extension ChannelArguments {
    var backoff: Backoff.Configuration {
        Backoff.Configuration(initial: initialReconnectBackoff, maximum: maxReconnectBackoff)
    }

    var effectiveIdleTimeout: Duration? { idleTimeout.map { max($0, .seconds(1)) } }

    var userAgent: String { UserAgent.value(prefix: userAgentPrefix, suffix: userAgentSuffix) }

    var socketOptions: SocketOptions {
        var options = SocketOptions()
        // Proposal A18: with keep-alive on, the system notices a dead peer under sent data too.
        if keepAliveInterval != nil { options.userTimeout = keepAliveTimeout }
        return options
    }

    /// Of what was read on its stream, a call that waits for more holds no more than so much of the
    /// window back, because each time that it gives some takes the connection's lock. The connection
    /// keeps less than half of a window, and a server must not wait for both, however small the
    /// program has made it.
    var heldBackByteCount: Int { min(1 << 10, (streamWindowByteCount ?? 65_535) / 4) }

    var connectionConfiguration: ConnectionConfiguration {
        var configuration = ConnectionConfiguration(.client)
        configuration.limits.headerListByteCount = maxMetadataByteCount
        // What may be sent has to fit, in frames as small as they come.
        configuration.limits.continuationCount = max(
            configuration.limits.continuationCount,
            maxMetadataByteCount / (16 << 10) * 5 / 4 + 1)
        configuration.encoderTableByteCount = encoderTableByteCount
        configuration.decoderTableByteCount = decoderTableByteCount
        configuration.maxConcurrentStreams = maxConcurrentStreams
        configuration.maxFrameByteCount = min(max(maxFrameByteCount, 16_384), 16_777_215)
        if let streamWindowByteCount {
            configuration.receiveWindows = .fixed(streamWindowByteCount)
        } else if !measuresBandwidth {
            configuration.receiveWindows = .fixed(65_535)
        }
        configuration.heldBackByteCount = heldBackByteCount
        if let keepAliveInterval {
            configuration.keepAlive = KeepAlive.Configuration(
                interval: max(keepAliveInterval, shortestKeepAliveInterval),
                timeout: keepAliveTimeout,
                withoutStreams: keepAliveWithoutCalls, maxPingsWithoutData: maxPingsWithoutData)
        }
        configuration.settingsTimeout =
            settingsTimeout ?? max(keepAliveTimeout + keepAliveTimeout, .seconds(60))
        return configuration
    }
}
