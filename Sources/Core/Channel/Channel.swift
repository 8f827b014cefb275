package import SwiftletTransport

/// Makes calls to a service, over connections that it opens when they are needed and closes when
/// they are not.
///
/// ```swift
/// let channel = try Channel("localhost:50051", credentials: .insecure)
/// ```
///
/// A channel is safe to share and cheap to keep. There is nothing to start, and closing it is
/// optional: when the last reference is released, running calls continue, and the connections are
/// closed after them.
public final class Channel: Sendable {
    package let backend: any ChannelBackend
    /// The values of options that a call does not set.
    public let defaultOptions: CallOptions
    private let hasDefaults: Bool
    /// A copy of the backend's limits, so that a call does not read them through the existential.
    package let limits: MessageLimits
    /// The service config's settings for methods; nil if the backend has no service config.
    private let configs: MethodConfigs?
    /// Records measurements of calls; nil if no sink needs them.
    private let metrics: (any ChannelMeter)?
    /// The interceptors of every call, in the order of ``ChannelInterceptor``.
    public let interceptors: [ChannelInterceptor]
    /// The factories of ``interceptors``, if they are the same for each call; nil otherwise.
    private let commonFactories: [InterceptorFactory]?

    /// A channel to a target that is written as in gRPC's naming document: `host:port`,
    /// `dns:///host:port`, `ipv4:1.2.3.4:80`, `ipv6:[::1]:80`, `unix:/path`, `unix-abstract:name`, and on
    /// Linux `vsock:cid:port`. The default port is 443.
    ///
    /// - Parameters:
    ///   - target: The server, as above.
    ///   - credentials: ``ChannelCredentials/tls(_:)`` for a server on a network, or
    ///     ``ChannelCredentials/insecure``, which sends everything unencrypted. There is no
    ///     default: a target does not show which of them its server uses.
    ///   - arguments: The settings of its connections.
    ///   - defaultOptions: The values of options that a call does not set.
    ///   - interceptors: The interceptors of every call, in the order of ``ChannelInterceptor``.
    ///   - queue: The queue that runs its connections; nil is ``CompletionQueue/shared``.
    public convenience init(
        _ target: String, credentials: ChannelCredentials,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        queue: CompletionQueue? = nil
    ) throws(RPCError) {
        try self.init(
            target, credentials: credentials, arguments: arguments,
            defaultOptions: defaultOptions, interceptors: interceptors,
            queues: [try CompletionQueue.orShared(queue)])
    }

    /// A channel whose connections are spread over the queues of a group, in turn. A balancing
    /// policy such as ``RoundRobin`` opens one for each server;
    /// ``ChannelArguments/maxConnectionCount`` allows more.
    ///
    /// `group` has the queues. The other parameters are those of the initializer above.
    public convenience init(
        _ target: String, credentials: ChannelCredentials,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        group: CompletionQueue.Group
    ) throws(RPCError) {
        try self.init(
            target, credentials: credentials, arguments: arguments,
            defaultOptions: defaultOptions, interceptors: interceptors, queues: group.queues)
    }

    /// Names what is missing. Without this, the compiler would propose the label `url:`, which makes a channel
    /// for HTTP/1.1.
    @available(
        *, unavailable,
        message:
            "add 'credentials:': .tls() for a server on a network, or .insecure to send everything unencrypted"
    )
    public convenience init(
        _ target: String, arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        queue: CompletionQueue? = nil
    ) throws(RPCError) {
        try self.init(
            target, credentials: .insecure, arguments: arguments,
            defaultOptions: defaultOptions, interceptors: interceptors, queue: queue)
    }

    /// - Parameters:
    ///   - sockets: Supplies connected sockets; nil connects to the target.
    ///   - otherVersion: The version of HTTP that is spoken beside HTTP/2, or instead of it.
    package convenience init(
        _ target: String, credentials: ChannelCredentials, arguments: ChannelArguments,
        defaultOptions: CallOptions, interceptors: [ChannelInterceptor],
        queues: [CompletionQueue], sockets: SocketSupply? = nil, otherVersion: OtherVersion? = nil
    ) throws(RPCError) {
        try arguments.check()
        let target = try Target(target)
        let proxy = sockets == nil ? try arguments.proxy.proxy(for: target) : nil
        let core = ChannelCore(
            target, credentials: credentials, callCredentials: defaultOptions.credentials,
            arguments: arguments, queues: queues, sockets: sockets, proxy: proxy,
            otherVersion: otherVersion)
        self.init(backend: core, defaultOptions: defaultOptions, interceptors: interceptors)
    }

    /// A channel on another backend, for example a fake network.
    package init(
        backend: any ChannelBackend, defaultOptions: CallOptions = CallOptions(),
        interceptors: [ChannelInterceptor] = []
    ) {
        self.backend = backend
        limits = backend.limits
        configs = backend.methodConfigs
        metrics = backend.metrics.flatMap { $0.measuresCalls ? $0 : nil }
        self.defaultOptions = defaultOptions
        hasDefaults = !defaultOptions.isEmpty
        self.interceptors = interceptors
        commonFactories = interceptors.commonFactories
    }

    deinit { backend.channelWasReleased() }
}

/// Returns a socket that is connected to the server.
package typealias SocketSupply = @Sendable () throws(SystemError) -> Socket

/// The implementation below a channel, which finds streams for calls.
package protocol ChannelBackend: CallBackend {
    var limits: MessageLimits { get }
    /// The service config's settings for methods; nil without a service config.
    var methodConfigs: MethodConfigs? { get }
    /// Nil for a backend without sinks.
    var metrics: (any ChannelMeter)? { get }
    var queue: CompletionQueue { get }
    /// The `:authority` of requests.
    var authority: String { get }
    var encryption: Encryption { get }
    var connectivity: ConnectivityState { get }
    /// Changes of ``connectivity``, beginning with the current value.
    func connectivityChanges() -> AsyncStream<ConnectivityState>
    func connect()
    func close(grace: Duration) async
    func channelWasReleased()
}

// MARK: - Connectivity

extension Channel {
    /// The current state of the channel.
    public var connectivity: ConnectivityState { backend.connectivity }

    /// The channel's state, now and whenever it changes. Of the changes that the program has not read, the newest 64 are
    /// kept.
    ///
    /// ```swift
    /// for await state in channel.connectivityChanges where state == .ready { break }
    /// ```
    public var connectivityChanges: AsyncStream<ConnectivityState> {
        backend.connectivityChanges()
    }

    /// The counts of events on its connections, until the channel is closed.
    package var counts: ChannelCounts { core?.counts ?? ChannelCounts() }

    /// Drains the connections: running calls continue, and the next call opens a new connection.
    package func leaveConnections() { core?.leaveConnections() }

    /// Connects now instead of with the first call.
    public func connect() { backend.connect() }

    /// Rejects new calls, waits up to `grace` for running calls, cancels the rest, and closes the
    /// connections. When the function returns, the last frames were sent, and the program may exit.
    /// If the queue is turned by hand, the next turn of the queue sends these frames. A handler
    /// must not block its queue until this function returns.
    public func close(grace: Duration = .zero) async { await backend.close(grace: grace) }
}

// MARK: - Calls

extension Channel {
    /// Nil if the backend has no connections of its own.
    var core: ChannelCore? { backend as? ChannelCore }

    /// The queue of its calls.
    package var queue: CompletionQueue { backend.queue }

    /// The call that `method` and `options` describe, not started yet.
    package func makeCall(
        _ method: MethodSignature, _ options: consuming CallOptions,
        observer: consuming any CallObserver
    ) -> any CallRequests {
        make(NewCall(method: method, options: options, observer: observer))
    }

    private func make(_ call: consuming NewCall) -> any CallRequests {
        if let meter = metrics?.meter(of: call.method) {
            call.meter = meter
            call.observer = meter.measuring(call.observer)
        }
        if hasDefaults { call.options = call.options.merged(over: defaultOptions) }
        call.options.inherit(InheritedDeadline.ofCall)
        // A shut-down queue cannot run the deadline timer of an interceptor chain.
        guard !interceptors.isEmpty || !call.options.interceptors.isEmpty,
            !backend.queue.isShutDown
        else { return makeBare(call) }

        let description = CallDescription(
            call.method, authority: call.options.authority, backend)
        let factories = factories(for: description, call.options)
        guard let maker = factories.first?.maker else { return makeBare(call) }
        // The timeout counts from here, so that the time which interceptors take is included.
        call.options.beginTimeout()
        return maker.makeCall(call, description, factories, of: self)
    }

    private func factories(
        for call: CallDescription, _ options: CallOptions
    ) -> [InterceptorFactory] {
        if let commonFactories, options.interceptors.isEmpty { return commonFactories }
        return interceptors.factories(for: call, and: options.interceptors)
    }

    /// The call below the interceptors. In most channels, it is a ``CallCore``.
    package func makeBare(_ call: consuming NewCall) -> any CallRequests {
        guard call.options.credentials == nil else { return makeDeferred(call, nil) }
        guard let configs else {
            return makeCore(
                call.method, call.options, CallSelection(nil), call.observer, call.meter, .first)
        }
        guard let selection = configs.knownSelection(for: call.method.path, call.options) else {
            return makeDeferred(call, nil)
        }
        return selection.rules?.filter == nil
            ? make(call, selection) : makeDeferred(call, selection)
    }

    /// The call when what it waits for is known.
    private func makeDeferred(
        _ call: consuming NewCall, _ selection: consuming CallSelection?
    ) -> any CallRequests {
        DeferredCall(call, selection, configs, limits, backend) { [self] call, selection in
            make(call, selection)
        }
    }

    /// The call with what is set for it.
    private func make(
        _ call: consuming NewCall, _ selection: consuming CallSelection
    ) -> any CallRequests {
        selection.rules?.apply(to: &call.options, begun: call.begun ?? .now, limits)
        guard limits.arguments.usesRetryPolicies, let makeOther = selection.rules?.makeOther else {
            return makeCore(
                call.method, call.options, selection, call.observer, call.meter, .first)
        }
        return makeOther(call, selection, self)
    }

    package func makeCore(
        _ method: MethodSignature, _ options: consuming CallOptions,
        _ selection: consuming CallSelection, _ observer: consuming any CallObserver,
        _ callMeter: (any CallMeter)?, _ kind: AttemptKind
    ) -> CallCore {
        let deadline = options.deadline
        let retry = limits.arguments.usesRetryPolicies ? selection.rules?.retry : nil
        let meter = retry != nil ? callMeter?.retried() : callMeter?.attempt(kind)
        var retries: CallRetries?
        if let meter, let retry {
            var metadata = options.metadata
            meter.addHeaders(to: &metadata)
            retries = CallRetries(limits.retryState(of: retry, selection.rules?.throttle), metadata)
        } else {
            meter?.addHeaders(to: &options.metadata)
        }
        let kept = KeptParts(cluster: selection.cluster, channel: retry == nil ? nil : self)
        let head = CallHead(
            method, options, limits, selection.rules, requestHash: selection.requestHash)
        return CallCore(
            head, deadline: deadline, backend: backend, observer: observer, meter: meter,
            retries: retries, kept: kept)
    }
}
