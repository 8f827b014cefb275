import Synchronization

/// A channel whose server selects the version of HTTP in the first TLS handshake.
///
/// After the server has selected HTTP/2, all connections belong to an HTTP/2 channel, which offers
/// only HTTP/2. The first connection is closed, and its TLS session is resumed.
final class NegotiatedChannel: Sendable {
    /// Whether the server has selected HTTP/2. An object, so that the closure that sets it can
    /// capture it.
    private final class Choice: Sendable {
        let isHTTP2 = Atomic(false)
    }

    private let choice = Choice()
    private let http1: HTTP1Channel
    private let http2: ChannelCore

    init(
        _ target: Target, credentials: ChannelCredentials, arguments: ChannelArguments,
        queue: CompletionQueue, sockets: SocketSupply? = nil, proxy: ProxyServer? = nil
    ) {
        let http2 = ChannelCore(
            target, credentials: credentials, arguments: arguments, queues: [queue],
            sockets: sockets, proxy: proxy)
        self.http2 = http2
        http1 = HTTP1Channel(
            target, credentials: credentials, arguments: arguments, queue: queue,
            sockets: sockets, proxy: proxy,
            whenHTTP2: { [choice] connection, waiting in
                let isFirst = !choice.isHTTP2.exchange(true, ordering: .acquiringAndReleasing)
                connection.giveUp()
                // The first connection may have been opened by connect(), without a waiting call.
                if isFirst { http2.connect() }
                for call in waiting { http2.begin(call) }
            },
            // Only the resolver of the HTTP/2 channel finds a service config. It starts when the
            // server has selected HTTP/2, so other calls must not wait for its result.
            whenNotHTTP2: { [choice] in
                if !choice.isHTTP2.load(ordering: .acquiring) { http2.methodConfigs?.release() }
            },
            whenOver: { http2.channelWasReleased() })
    }

    private var isHTTP2: Bool { choice.isHTTP2.load(ordering: .acquiring) }

    private var current: any ChannelBackend { isHTTP2 ? http2 : http1 }
}

extension NegotiatedChannel: ChannelBackend {
    var loop: EventLoop { http2.loop }
    var queue: CompletionQueue { http2.queue }
    var limits: MessageLimits { http2.limits }
    var metrics: (any ChannelMeter)? { http2.metrics }
    var methodConfigs: MethodConfigs? { http2.methodConfigs }
    var authority: String { http2.authority }
    var isSecure: Bool { http2.isSecure }
    var openCalls: CallRegistry { http2.openCalls }
    var counts: ChannelCounts { http2.counts }
    var connectivity: ConnectivityState { current.connectivity }

    func begin(_ call: CallCore) { current.begin(call) }
    func forget(_ call: CallCore) { current.forget(call) }
    func deadlineError(of call: CallCore) -> RPCError { current.deadlineError(of: call) }
    func connect() { current.connect() }

    func leaveConnections() {
        http1.leaveConnections()
        http2.leaveConnections()
    }

    /// Releases the HTTP/1.1 channel. The HTTP/2 channel is released when the HTTP/1.1 channel has
    /// no more calls to hand over.
    func channelWasReleased() { http1.channelWasReleased() }

    func close(grace: Duration) async {
        async let ended: Void = http1.close(grace: grace)
        await http2.close(grace: grace)
        await ended
    }

    func connectivityChanges() -> AsyncStream<ConnectivityState> {
        if isHTTP2 { return http2.connectivityChanges() }
        let (stream, continuation) = AsyncStream.makeStream(of: ConnectivityState.self)
        // Subscribed before this returns, so that no change is missed. The HTTP/2 channel changes its
        // state only after the choice.
        let before = http1.connectivityChanges()
        let after = http2.connectivityChanges()
        let task = Task { [self] in
            async let isPassed: Void = pass(before, to: continuation) { !self.isHTTP2 }
            await pass(after, to: continuation) { self.isHTTP2 }
            await isPassed
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    private func pass(
        _ states: AsyncStream<ConnectivityState>,
        to continuation: AsyncStream<ConnectivityState>.Continuation,
        while isCurrent: @Sendable () -> Bool
    ) async {
        for await state in states where isCurrent() { continuation.yield(state) }
    }
}
