package import SwiftletTransport

/// Makes calls to a service, over connections that it opens when they are needed and closes when
/// they are not.
///
/// ```swift
/// let channel = try Channel("localhost:50051")
/// ```
///
/// A channel is safe to share and cheap to keep. There is nothing to start, and closing it is
/// optional: when the last reference goes, running calls end as they would and the connections
/// follow.
public final class Channel: Sendable {
    let backend: any ChannelBackend
    /// Options that calls get unless they say otherwise.
    public let defaultOptions: CallOptions

    /// A channel to a target that is written as in gRPC's naming document: `host:port`,
    /// `dns:///host:port`, `ipv4:1.2.3.4:80`, `ipv6:[::1]:80`, `unix:/path`, `unix-abstract:name`.
    ///
    /// - Parameters:
    ///   - credentials: How to secure the connection; ``ChannelCredentials/insecure`` sends
    ///     everything in the clear.
    ///   - queue: Where its connections live. Channels share one unless told otherwise.
    public convenience init(
        _ target: String, credentials: ChannelCredentials = .insecure,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), queue: CompletionQueue = .shared
    ) throws(RPCError) {
        let core = ChannelCore(
            try Target(target), credentials: credentials, arguments: arguments, queue: queue)
        self.init(backend: core, defaultOptions: defaultOptions)
    }

    /// A channel whose connections are sockets that `sockets` hands over, connected.
    package convenience init(
        to name: String, sockets: @escaping SocketSupply, credentials: ChannelCredentials,
        arguments: ChannelArguments, defaultOptions: CallOptions,
        queue: CompletionQueue = .shared
    ) throws(RPCError) {
        let core = ChannelCore(
            try Target(name), credentials: credentials, arguments: arguments, queue: queue,
            sockets: sockets)
        self.init(backend: core, defaultOptions: defaultOptions)
    }

    /// A channel on a backend of one's own: a fake network, for one.
    package init(backend: any ChannelBackend, defaultOptions: CallOptions = CallOptions()) {
        self.backend = backend
        self.defaultOptions = defaultOptions
    }

    deinit { backend.channelWasReleased() }
}

/// Hands over a socket that is connected to the server.
package typealias SocketSupply = @Sendable () throws(SystemError) -> Socket

/// What a channel sets for calls that say nothing of it.
package struct MessageLimits: Sendable {
    var compression = CompressionAlgorithm.identity
    var maxSendByteCount: Int?
    var maxReceiveByteCount: Int? = 4 << 20
}

/// What a channel is made of: something that finds streams for calls.
package protocol ChannelBackend: CallBackend {
    var limits: MessageLimits { get }
    var queue: CompletionQueue { get }
    /// What requests are addressed to.
    var authority: String { get }
    /// Whether what is sent cannot be read on the way.
    var isSecure: Bool { get }
    var connectivity: ConnectivityState { get }
    /// Changes of ``connectivity``, from the present one on.
    func connectivityChanges() -> AsyncStream<ConnectivityState>
    func connect()
    func close(grace: Duration) async
    func channelWasReleased()
}

// MARK: - Connectivity

extension Channel {
    /// What the channel can do for a call right now.
    public var connectivity: ConnectivityState { backend.connectivity }

    /// The channel's state, now and whenever it changes.
    ///
    /// ```swift
    /// for await state in channel.connectivityChanges where state == .ready { break }
    /// ```
    public var connectivityChanges: AsyncStream<ConnectivityState> {
        backend.connectivityChanges()
    }

    /// Connects now instead of with the first call.
    public func connect() { backend.connect() }

    /// Takes no new calls, lets the running ones end within `grace`, cancels those that have not,
    /// and closes the connections.
    public func close(grace: Duration = .zero) async { await backend.close(grace: grace) }
}

// MARK: - Calls

extension Channel {
    /// The call that `method` and `options` describe, not started yet.
    func makeCall<Request, Reply>(
        _ method: Method<Request, Reply>, _ options: CallOptions, observer: any CallObserver
    ) -> CallCore {
        let options = options.merged(over: defaultOptions)
        let limits = backend.limits
        let head = CallHead(
            path: method.path, contentSubtype: method.requestCodec.contentSubtype,
            metadata: options.metadata, compression: options.compression ?? limits.compression,
            authority: options.authority, waitForReady: options.waitForReady ?? false,
            maxSendByteCount: options.maxSendByteCount ?? limits.maxSendByteCount,
            maxReceiveByteCount: options.maxReceiveByteCount ?? limits.maxReceiveByteCount)
        return CallCore(head, deadline: options.deadline, backend: backend, observer: observer)
    }
}
