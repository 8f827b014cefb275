package import SwiftletTransport

/// The settings of a channel. They are set as properties, or under the names of other gRPC clients.
///
/// ```swift
/// var arguments = ChannelArguments()
/// arguments.keepAliveInterval = .seconds(60)
/// try arguments.set("grpc.max_receive_message_length", to: 16_777_216)
/// ```
public struct ChannelArguments: Hashable, Sendable {
    /// The value of a named argument.
    @nonexhaustive
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

    /// The delay after the first failure to connect; 1 second by default. It is at least a millisecond and at
    /// most ``maxReconnectBackoff``.
    public var initialReconnectBackoff = Duration.seconds(1)
    /// The longest delay between two attempts to connect; 2 minutes by default.
    public var maxReconnectBackoff = Duration.seconds(120)
    /// How long one attempt to connect may take, with all addresses and handshakes; 20 seconds by
    /// default. An attempt that takes longer fails.
    public var connectTimeout = Duration.seconds(20)
    /// How long a connection to one address may take, with its handshakes, before a connection to the next
    /// address starts too; 250 milliseconds by default, and from 100 milliseconds to 2 seconds.
    public var happyEyeballsDelay = Duration.milliseconds(250)

    /// The least time from one successful look-up of a name to the next; 30 seconds by default. A
    /// failed connection requests a look-up, which waits for this time.
    public var minResolutionInterval = Duration.seconds(30)
    /// Whether the service config of a name is looked up in the TXT records of `_grpc_config.<name>`
    /// (proposal A2), in addition to its addresses; false by default. A config from DNS then has precedence
    /// over ``serviceConfig``, and calls wait for the first answer. While no valid config is found, calls use
    /// the last valid one. If there is none, calls fail. The client language of choices is `swift`. The name
    /// servers are those of `/etc/resolv.conf`. If the target has a proxy, no config is looked up.
    ///
    /// Needs `ServiceConfigText.register()` of the module `SwiftletBalancing`: without it, no channel can be made.
    public var findsServiceConfigInDNS = false
    /// The name servers for the service config. Nil means those of the system.
    package var configNameServers: [SocketAddress]?
    /// The service config of the target, unless the resolver reports another one. Nil, the default, means
    /// none.
    public var serviceConfig: ServiceConfig?

    /// The balancing policy, if neither the service config of the resolver nor ``serviceConfig`` sets one.
    /// Nil, the default, means ``PickFirst``.
    public var balancing: (any BalancingPolicy)? {
        get { balancingBox?.policy }
        set { balancingBox = newValue.map { PolicyBox(policy: $0) } }
    }
    /// A box, so that arguments can be compared.
    private var balancingBox: PolicyBox?
    /// Whether the retry and hedging policies of a service config are used; true by default. In either case,
    /// a call that its server did not process is sent again, as ``maxReplayByteCount`` allows.
    public var usesRetryPolicies = true
    /// The most connections of a subchannel that a service config may ask for (proposal A105); 10 by
    /// default.
    public var maxConfiguredConnectionCount = 10
    /// Whether the health of servers is checked; true by default. A check needs a service config that sets
    /// `healthCheckServiceName` of the module `SwiftletBalancing`, and a balancer that spreads calls (proposal A17).
    public var checksHealth = true

    /// The proxy through which connections are made. By default, the proxy in the environment, if there is
    /// one.
    public var proxy = ProxyChoice.environment
    /// Whether `grpc.enable_http_proxy` is false.
    var isProxyForbidden = false

    /// The largest header list that is accepted, in bytes as HTTP/2 counts them; 16 KiB by default. A larger
    /// one fails its call. Two names set this limit: `grpc.max_metadata_size`, and
    /// `grpc.absolute_max_metadata_size`, which has precedence.
    public var maxMetadataByteCount = 16 << 10
    /// Whether ``maxMetadataByteCount`` was set by the name of the hard limit.
    var hasHardMetadataLimit = false
    /// The size of the dynamic table for headers that are sent (RFC 7541 §4.2), in bytes; 4,096 by
    /// default. The server may allow less.
    public var encoderTableByteCount = 4_096
    /// The size of the dynamic table for headers that are received, in bytes; 4,096 by default.
    public var decoderTableByteCount = 4_096
    /// The largest response message that is accepted, in bytes; 4 MiB by default. Nil means no limit. A
    /// larger message fails its call with RESOURCE_EXHAUSTED.
    public var maxReceiveMessageByteCount: Int? = 4 << 20
    /// The largest allowed ratio of the decompressed to the compressed size of a response message. Nil, the
    /// default, means no limit. A message above it fails its call with RESOURCE_EXHAUSTED.
    public var maxDecompressionRatio: Int?
    /// The largest request message that may be sent, in bytes. Nil, the default, means no limit. A larger
    /// message fails its call with RESOURCE_EXHAUSTED.
    public var maxSendMessageByteCount: Int?
    /// How many bytes of a call's request messages are kept; 256 KiB by default. If the server did not
    /// process the call, they are sent again. A call that has written more bytes fails instead. With 0, only
    /// requests without messages are sent again.
    public var maxReplayByteCount = 256 << 10
    /// The most attempts of a call, even if its retry or hedging policy allows more (proposal A6): at least 1; 5 by
    /// default.
    public var maxAttemptCount = 5
    /// The most streams on one connection. The server may allow fewer. Nil, the default, means the server's
    /// limit.
    public var maxConcurrentStreams: Int?
    /// The most connections of each subchannel. Nil, the default, is 1 with HTTP/2, and 6 with HTTP/1.1, whose
    /// connections carry one request at a time. Another connection is opened only while the open connections
    /// have reached the server's limit of streams. It is closed when it is no longer needed.
    public var maxConnectionCount: Int?
    /// The receive window of a stream, in bytes: 1 to 2,147,483,647. If it is nil, which is the default, the
    /// window begins with 64 KiB. Then it grows up to 16 MiB, with the measured bandwidth × delay, and to the
    /// size of a message that the reader waits for.
    ///
    /// A WINDOW_UPDATE returns only bytes that the stream's reader has consumed, and bytes of a message that
    /// the reader waits for. The window grows only by such bytes, and only while the reader leaves little
    /// unread. A stream that was never read therefore receives at most its first window. Unread streams hold
    /// at most the sum of their windows, however much the server sends: by default, 64 KiB times the number of
    /// open streams. The window of the connection does not limit this sum.
    public var streamWindowByteCount: Int?
    /// The largest frame payload that the server may send, in bytes: 16,384 (the default) to
    /// 16,777,215.
    public var maxFrameByteCount = 16_384
    /// Whether receive windows grow with the measured bandwidth × delay, if
    /// ``streamWindowByteCount`` does not set their size; true by default.
    public var measuresBandwidth = true
    /// How long the server may take to acknowledge SETTINGS before the connection is closed. Nil, the
    /// default, means twice the ``keepAliveTimeout``, but at least a minute.
    public var settingsTimeout: Duration?

    /// How long a connection may be silent before a PING probes it. Nil, the default, means never. Less than
    /// ten seconds is treated as ten. While a call runs, the interval always applies. A frozen server is
    /// therefore detected after the interval and ``keepAliveTimeout``. If a server answers with GOAWAY
    /// `too_many_pings`, the interval of later connections is doubled (proposal A8). By default, gRPC servers
    /// send it if they are probed more than once in five minutes.
    public var keepAliveInterval: Duration?
    /// How long the server has to answer a probe before the connection is closed; 20 seconds by
    /// default.
    public var keepAliveTimeout = Duration.seconds(20)
    /// Whether a connection is probed while no call runs on it; false by default.
    public var keepAliveWithoutCalls = false
    /// The number of probes on a connection without calls, with no request data sent in between; 2 by
    /// default, 0 means no limit. After that, probes are sent only once in five minutes.
    public var maxPingsWithoutData = 2
    /// The shortest interval between probes (proposal A8).
    package var shortestKeepAliveInterval = Duration.seconds(10)
    /// How long a connection stays open without calls: at least a second, 30 minutes by default. Nil means
    /// forever. The channel checks once per timeout whether the connection was used, so that a call needs no
    /// timer. A connection may therefore stay open for up to twice as long.
    public var idleTimeout: Duration? = .seconds(1_800)

    /// Reports whether the machine has a network. When the network is lost, calls to other machines end at
    /// once. When it is back, the channel reconnects without a delay. The default is the system's monitor.
    /// With nil, the channel watches no network.
    public var connectivityMonitor: ConnectivityMonitor? = .system

    /// Receives a line for each HTTP/2 frame. Nil, the default, logs none unless the environment variable
    /// `SWIFTLET_FRAME_LOG` is set.
    public var frameLog: FrameLog?

    /// Who measures the channel, a ``MeterSource``. Nil means that of the process.
    package var meterSource: HashableValue?

    /// Text before the library's own name in `user-agent`. Nil, the default, adds none.
    public var userAgentPrefix: String?
    /// Text after the library's own name in `user-agent`. Nil, the default, adds none.
    public var userAgentSuffix: String?
    /// The `:authority` of requests. Nil, the default, means ``targetNameOverride``, or else
    /// ``TLSOptions/targetNameOverride``, or else the target's. With TLS, the server's certificate must be valid for
    /// its host, unless one of the two overrides is set. Otherwise the connection fails.
    public var defaultAuthority: String?
    /// The name that the server's certificate must be valid for. It is also the `:authority` of requests, unless
    /// ``defaultAuthority`` is set. Nil, the default, means ``TLSOptions/targetNameOverride``, or else the host of
    /// ``defaultAuthority``, or else the host of the target.
    public var targetNameOverride: String?
    /// How requests are compressed, unless the options of a call set it. By default they are not compressed.
    public var defaultCompression = CompressionAlgorithm.identity

    public init() {}

    /// Sets arguments by name. Throws INVALID_ARGUMENT at the first one that is unknown or has a value of the
    /// wrong type.
    public init(_ values: [String: Value]) throws(RPCError) {
        for (name, value) in values.inOrder(by: { $0.key < $1.key }) { try set(name, to: value) }
    }
}

// MARK: - Derived values

extension ChannelArguments {
    var backoff: Backoff.Configuration {
        Backoff.Configuration(initial: initialReconnectBackoff, maximum: maxReconnectBackoff)
    }

    /// As in ``Socket/setTCPOptions(userTimeout:)``. Proposal A18: with keep-alive, the system also detects a dead peer
    /// while sent data is unacknowledged.
    var userTimeout: Duration? { keepAliveInterval == nil ? nil : keepAliveTimeout }

    /// The most consumed bytes that a call keeps back before it returns them to the window, because each
    /// return acquires the connection's lock. In addition, the connection keeps back less than half of a
    /// window. Together they must stay below the window, because otherwise the server would wait.
    var heldBackByteCount: Int { min(1 << 10, (streamWindowByteCount ?? 65_535) / 4) }

    var connectionConfiguration: ConnectionConfiguration {
        var configuration = ConnectionConfiguration(.client)
        configuration.limits.headerListByteCount = maxMetadataByteCount
        // The header block of the largest accepted list must fit. A block is usually smaller than
        // its list.
        configuration.limits.headerBlockByteCount = max(
            configuration.limits.headerBlockByteCount, maxMetadataByteCount * 5 / 4)
        configuration.encoderTableByteCount = encoderTableByteCount
        configuration.decoderTableByteCount = decoderTableByteCount
        configuration.maxConcurrentStreams = maxConcurrentStreams
        configuration.maxFrameByteCount = min(max(maxFrameByteCount, 16_384), 16_777_215)
        if let streamWindowByteCount {
            configuration.receiveWindows = .fixed(streamWindowByteCount)
        } else if !measuresBandwidth {
            configuration.receiveWindows = .fixed(65_535)
        }
        if let keepAliveInterval {
            configuration.keepAlive = KeepAlive.Configuration(
                interval: max(keepAliveInterval, shortestKeepAliveInterval),
                timeout: keepAliveTimeout,
                withoutStreams: keepAliveWithoutCalls, maxPingsWithoutData: maxPingsWithoutData)
        }
        // Twice the longest duration would be too long for a `Duration`.
        configuration.settingsTimeout =
            settingsTimeout
            ?? max(min(keepAliveTimeout, .seconds(Int64(1) << 32)) * 2, .seconds(60))
        return configuration
    }
}
