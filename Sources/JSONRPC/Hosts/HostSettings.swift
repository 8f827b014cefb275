public import SwiftletCore

extension Host {
    /// The settings that a host's channel is made from.
    ///
    /// Most of them are names for properties of ``arguments``, so each value is kept once: the last
    /// assignment counts, whichever of the two names it uses.
    public struct Settings: Sendable {
        /// How the connections and calls of the channel behave.
        public var arguments = ChannelArguments()
        /// How connections are secured. Nil, the default, is TLS with the system's authorities, or
        /// no TLS if ``isSecure`` is false.
        public var credentials: ChannelCredentials?
        /// Whether connections use TLS when ``credentials`` is nil; true by default. The scheme of a
        /// URL overrides it.
        public var isSecure = true
        /// The version of HTTP. Nil, the default, is HTTP/2 for an address and
        /// `HTTPVersion.negotiated` for a URL.
        public var httpVersion: HTTPVersion?
        /// Values for the options that a call does not set.
        public var defaultOptions = CallOptions()
        /// The interceptors of every call of the channel, the first listed outermost.
        public var interceptors: [ChannelInterceptor] = []
        /// The queue of its connections; nil is `CompletionQueue.shared`.
        public var queue: CompletionQueue?

        public init() {}
    }
}

extension Host.Settings {
    /// The text before this library's own user agent; nil, the default, is none. The same as
    /// `ChannelArguments.userAgentPrefix` of ``arguments``.
    public var userAgentPrefix: String? {
        get { arguments.userAgentPrefix }
        set { arguments.userAgentPrefix = newValue }
    }

    /// The name that the server's certificate must be for, and the authority of requests. Nil,
    /// the default, overrides neither. Sets `ChannelArguments.targetNameOverride` and
    /// `ChannelArguments.defaultAuthority` of ``arguments``.
    public var hostNameOverride: String? {
        get { arguments.targetNameOverride }
        set {
            arguments.targetNameOverride = newValue
            arguments.defaultAuthority = newValue
        }
    }

    /// The largest response message in bytes, 4 MiB by default; nil is no limit. The same as
    /// `ChannelArguments.maxReceiveMessageByteCount` of ``arguments``.
    public var responseSizeLimit: Int? {
        get { arguments.maxReceiveMessageByteCount }
        set { arguments.maxReceiveMessageByteCount = newValue }
    }

    /// The most connections. Nil, the default, is 1 with HTTP/2, and 6 with HTTP/1.1, whose connections
    /// carry one request at a time. The same as `ChannelArguments.maxConnectionCount` of ``arguments``.
    public var maxConnectionCount: Int? {
        get { arguments.maxConnectionCount }
        set { arguments.maxConnectionCount = newValue }
    }

    /// Ends calls when the machine loses its network; nil disables this. The same as
    /// `ChannelArguments.connectivityMonitor` of ``arguments``.
    public var connectivityMonitor: ConnectivityMonitor? {
        get { arguments.connectivityMonitor }
        set { arguments.connectivityMonitor = newValue }
    }
}
