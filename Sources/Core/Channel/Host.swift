import Synchronization

/// The settings for one address, and the channel to it.
///
/// A cache has one host for each address, which all its users share:
///
/// ```swift
/// let host = Host.at("example.com:443")
/// host.configure { $0.userAgentPrefix = "shop/1.4" }
/// let greeter = Greeter(channel: try host.channel())
/// ```
///
/// The channel is made by the first call of ``channel()``, from the settings at that time. Later
/// changes have an effect after ``disconnect()``.
///
/// Foundation also has a type of this name: if both are imported, this is `Swiftlet.Host`.
public final class Host: Sendable {
    /// The settings that the channel is made from.
    public struct Settings: Sendable {
        /// The text before this library's own user agent.
        public var userAgentPrefix: String?
        /// How connections are secured. Nil, the default, is TLS with the system's authorities, or
        /// no TLS if ``isSecure`` is false.
        public var credentials: ChannelCredentials?
        /// Whether connections use TLS when ``credentials`` is nil.
        public var isSecure = true
        /// The name that the server's certificate must be for, and the authority of requests. Nil,
        /// the default, overrides neither.
        public var hostNameOverride: String?
        /// The largest response message; nil is no limit.
        public var responseSizeLimit: Int? = 4 << 20
        /// The most connections; 1 by default. Another one is opened only when the server's limit
        /// of streams is reached.
        public var maxConnectionCount = 1
        /// The version of HTTP. Nil, the default, is HTTP/2 for an address and
        /// ``HTTPVersion/negotiated`` for a URL.
        public var httpVersion: HTTPVersion?
        /// Ends calls when the machine loses its network; nil disables this.
        public var connectivityMonitor: ConnectivityMonitor? = .system
        /// Everything else.
        public var arguments = ChannelArguments()
        /// Values for the options that a call does not set.
        public var defaultOptions = CallOptions()
        /// The interceptors of every call of the channel, the first listed outermost.
        public var interceptors: [ChannelInterceptor] = []
        /// The queue of its connections; nil is ``CompletionQueue/shared``.
        public var queue: CompletionQueue?

        public init() {}
    }

    private struct State {
        var settings = Settings()
        /// How often the settings were changed.
        var version = 0
        var channel: Channel?
    }

    /// The target of its channels, in the form that ``Channel`` accepts, and its name in a cache.
    public let address: String
    private let state = Mutex(State())

    /// A host that is not in a cache.
    public init(_ address: String) { self.address = address }

    /// The host of an address in ``HostCache/shared``. The first look-up of an address creates it.
    public static func at(_ address: String) -> Host { HostCache.shared.host(at: address) }
}

extension Host {
    /// The settings for the next channel. Change them with ``configure(_:)``.
    public var settings: Settings { state.withLock { $0.settings } }

    /// Changes the settings for the next channel. If another thread changes them at the same time,
    /// `change` is called again with the new settings.
    public func configure(_ change: (inout Settings) -> Void) {
        while true {
            var (settings, version) = state.withLock { ($0.settings, $0.version) }
            change(&settings)
            let isDone = state.withLock { state in
                guard state.version == version else { return false }
                state.version += 1
                state.settings = settings
                return true
            }
            if isDone { return }
        }
    }

    /// Sets TLS from PEM text; nil roots are the system's. Throws, and changes nothing, if the text
    /// is not PEM or the key does not match the certificate.
    public func setTLS(
        rootCertificates: String? = nil, privateKey: String? = nil, certificateChain: String? = nil
    ) throws(RPCError) {
        var options = TLSOptions()
        options.rootCertificates = rootCertificates.map { .text($0) }
        options.privateKey = privateKey.map { .text($0) }
        options.certificateChain = certificateChain.map { .text($0) }
        let credentials = try ChannelCredentials.tls(options)
        configure { settings in
            settings.credentials = credentials
            settings.isSecure = true
        }
    }

    /// The channel to the host: the same one for all callers, until ``disconnect()``.
    public func channel() throws(RPCError) -> Channel {
        if let channel = state.withLock({ $0.channel }) { return channel }
        let settings = settings
        let fresh = try makeChannel(settings)
        settings.connectivityMonitor?.add(self)
        return state.withLock { state in
            if let channel = state.channel { return channel }
            state.channel = fresh
            return fresh
        }
    }

    /// Releases the channel and drains its connections; running calls continue. The next call of
    /// ``channel()`` makes a new channel with the current settings. A caller that still has the old
    /// channel can use it: its next call opens a new connection with the old settings.
    public func disconnect() {
        let old = state.withLock { $0.channel.take() }
        old?.leaveConnections()
    }

    /// The machine has lost its network, so the connections are gone. The next channel is made from
    /// the settings at that time.
    func networkWasLost(_ monitor: ConnectivityMonitor) {
        let isLocal = (try? Target(address))?.isLocal ?? false
        if monitor.includesLocal || !isLocal { disconnect() }
    }

    private func makeChannel(_ settings: Settings) throws(RPCError) -> Channel {
        var arguments = settings.arguments
        arguments.userAgentPrefix = settings.userAgentPrefix ?? arguments.userAgentPrefix
        // A setting that still has its default does not override `Settings.arguments`.
        let initial = Settings()
        if settings.responseSizeLimit != initial.responseSizeLimit {
            arguments.maxReceiveMessageByteCount = settings.responseSizeLimit
        }
        if settings.maxConnectionCount != initial.maxConnectionCount {
            arguments.maxConnectionCount = settings.maxConnectionCount
        }
        if settings.connectivityMonitor != initial.connectivityMonitor {
            arguments.connectivityMonitor = settings.connectivityMonitor
        }
        arguments.targetNameOverride = settings.hostNameOverride ?? arguments.targetNameOverride
        arguments.defaultAuthority = settings.hostNameOverride ?? arguments.defaultAuthority
        if WebAddress.isWebAddress(address) { return try makeChannel(settings, arguments) }
        return try Channel(
            address, version: settings.httpVersion ?? .http2,
            credentials: try credentials(settings), arguments: arguments,
            defaultOptions: settings.defaultOptions, interceptors: settings.interceptors,
            queue: settings.queue)
    }

    /// The scheme of the URL decides whether TLS is used.
    private func makeChannel(
        _ settings: Settings, _ arguments: ChannelArguments
    ) throws(RPCError) -> Channel {
        var settings = settings
        settings.isSecure = try WebAddress(address).isSecure
        return try Channel(
            url: address, version: settings.httpVersion ?? .negotiated,
            credentials: try credentials(settings), arguments: arguments,
            defaultOptions: settings.defaultOptions, interceptors: settings.interceptors,
            queue: settings.queue)
    }

    private func credentials(_ settings: Settings) throws(RPCError) -> ChannelCredentials {
        if let credentials = settings.credentials { return credentials }
        guard settings.isSecure else { return .insecure }
        var options = TLSOptions()
        options.targetNameOverride = settings.hostNameOverride
        return try .tls(options)
    }
}

/// One host for each address.
public final class HostCache: Sendable {
    /// The cache of the program.
    public static let shared = HostCache()

    private let hosts = Mutex<[String: Host]>([:])

    public init() {}

    /// The host of an address. The first look-up creates it.
    public func host(at address: String) -> Host {
        hosts.withLock { hosts in
            if let host = hosts[address] { return host }
            let host = Host(address)
            hosts[address] = host
            return host
        }
    }

    /// Disconnects every host. The settings are kept.
    public func disconnectAll() {
        for host in hosts.withLock({ Array($0.values) }) { host.disconnect() }
    }

    /// Removes every host with its settings. A program that still has a reference to a host can use
    /// it.
    public func reset() {
        let old = hosts.withLock { hosts in
            defer { hosts = [:] }
            return hosts
        }
        // Released outside the lock.
        _ = old
    }
}
