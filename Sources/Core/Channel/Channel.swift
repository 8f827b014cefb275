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
    private let hasDefaults: Bool
    /// The backend's, which each call would ask it for.
    private let limits: MessageLimits
    /// What stands between callers and the network.
    public let interceptors: [ChannelInterceptor]

    /// A channel to a target that is written as in gRPC's naming document: `host:port`,
    /// `dns:///host:port`, `ipv4:1.2.3.4:80`, `ipv6:[::1]:80`, `unix:/path`, `unix-abstract:name`.
    /// Where no port is written, it is 443.
    ///
    /// - Parameters:
    ///   - target: The server, as above.
    ///   - credentials: How to secure the connection; ``ChannelCredentials/insecure`` sends
    ///     everything in the clear.
    ///   - arguments: How its connections behave.
    ///   - defaultOptions: What holds for calls that do not say otherwise.
    ///   - interceptors: What every call meets on its way, in the order of ``ChannelInterceptor``.
    ///   - queue: Where its connections live. Channels share one unless told otherwise.
    public convenience init(
        _ target: String, credentials: ChannelCredentials = .insecure,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        queue: CompletionQueue = .shared
    ) throws(RPCError) {
        try arguments.check()
        let core = ChannelCore(
            try Target(target), credentials: credentials, arguments: arguments, queue: queue)
        self.init(backend: core, defaultOptions: defaultOptions, interceptors: interceptors)
    }

    /// A channel whose connections are sockets that `sockets` hands over, connected.
    package convenience init(
        to name: String, sockets: @escaping SocketSupply, credentials: ChannelCredentials,
        arguments: ChannelArguments, defaultOptions: CallOptions,
        interceptors: [ChannelInterceptor] = [], queue: CompletionQueue = .shared
    ) throws(RPCError) {
        try arguments.check()
        let core = ChannelCore(
            try Target(name), credentials: credentials, arguments: arguments, queue: queue,
            sockets: sockets)
        self.init(backend: core, defaultOptions: defaultOptions, interceptors: interceptors)
    }

    /// A channel on a backend of one's own: a fake network, for one.
    package init(
        backend: any ChannelBackend, defaultOptions: CallOptions = CallOptions(),
        interceptors: [ChannelInterceptor] = []
    ) {
        self.backend = backend
        limits = backend.limits
        self.defaultOptions = defaultOptions
        hasDefaults = !defaultOptions.saysNothing
        self.interceptors = interceptors
    }

    deinit { backend.channelWasReleased() }
}

/// Hands over a socket that is connected to the server.
package typealias SocketSupply = @Sendable () throws(SystemError) -> Socket

/// What a channel is made of: something that finds streams for calls.
package protocol ChannelBackend: CallBackend {
    var limits: MessageLimits { get }
    var queue: CompletionQueue { get }
    /// What requests are addressed to.
    var authority: String { get }
    /// Whether what is sent cannot be read on the way.
    var isSecure: Bool { get }
    var connectivity: ConnectivityState { get }
    var chains: ChainRegistry { get }
    /// Changes of ``connectivity``, from the present one on.
    func connectivityChanges() -> AsyncStream<ConnectivityState>
    func connect()
    func close(grace: Duration) async
    func channelWasReleased()
    /// The next call is to have a new connection; those that run keep theirs.
    func leaveConnections()
    /// What has happened on its connections until now.
    var counts: ChannelCounts { get }
}

extension ChannelBackend {
    /// For those that have no connections.
    package var counts: ChannelCounts { ChannelCounts() }
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

    /// What has happened on its connections, until it is closed.
    package var counts: ChannelCounts { backend.counts }

    /// Lets calls that run go on to their end, and the next one make a new connection.
    func leaveConnections() { backend.leaveConnections() }

    /// Connects now instead of with the first call.
    public func connect() { backend.connect() }

    /// Takes no new calls, lets the running ones end within `grace`, cancels those that have not,
    /// and closes the connections. When it returns they have said goodbye, and the program may end;
    /// on a queue that is turned by hand they do so in its next turn. A handler must not block its
    /// queue until it returns.
    public func close(grace: Duration = .zero) async { await backend.close(grace: grace) }
}

// MARK: - Calls

extension Channel {
    /// The call that `method` and `options` describe, not started yet.
    func makeCall(
        _ method: MethodSignature, _ options: consuming CallOptions,
        observer: consuming any CallObserver
    ) -> any CallRequests {
        if hasDefaults { options = options.merged(over: defaultOptions) }
        // Interceptors of a queue that is no more would have nobody to see to their deadline.
        guard !interceptors.isEmpty || !options.meetsNobody, !backend.queue.isShutDown else {
            return CallCore(method, options, limits, backend: backend, observer: observer)
        }

        let description = CallDescription(
            path: method.path, shape: method.shape,
            authority: options.authority ?? backend.authority,
            isSecure: backend.isSecure)
        var factories = interceptors.factories(for: description, and: options.interceptors)
        // Last, so that a call that is sent once more gets fresh ones.
        if let credentials = options.credentials { factories.append(.credentials(credentials)) }
        // Time counts from here, however long an interceptor takes.
        options.absoluteDeadline = options.deadline
        options.timeout = nil
        let plan = ChainPlan(
            call: description, factories: factories, deadline: ChainDeadline(backend.loop),
            registry: backend.chains
        ) { [self] options, observer in
            // The channel itself, and not what it stands on: it is in use until the call has begun.
            CallCore(method, options, limits, backend: backend, observer: observer)
        }
        return InterceptorChain(plan, options, observer: observer)
    }
}

extension CallCore {
    fileprivate convenience init(
        _ method: MethodSignature, _ options: consuming CallOptions, _ limits: MessageLimits,
        backend: any ChannelBackend, observer: consuming any CallObserver
    ) {
        let deadline = options.deadline
        self.init(
            CallHead(method, options, limits), deadline: deadline, backend: backend,
            observer: observer)
    }
}
