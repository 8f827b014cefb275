import SwiftletTransport
import Synchronization

/// A channel whose connections use HTTP/1.1. Each running call has a connection of its own.
/// Decisions are made on the loop's thread.
final class HTTP1Channel: Sendable {
    typealias Pool = HTTP1Pool<HTTP1Link, CallCore>

    struct State {
        var pool: Pool
        var attempts: [ObjectIdentifier: HTTP1Attempt] = [:]
        var connectivity = ConnectivityState.idle
        let followers = Followers<ConnectivityState>()
        /// Whether a change of the connectivity must still be reported.
        var hasUnreported = false
        /// The program has released the channel.
        var isReleased = false
        var isShutDown = false
        /// Connections that end after their current calls.
        var leaving: [HTTP1Link] = []
        /// The waits for the calls on connections.
        var closers: [HTTP1ClosingWait] = []
    }

    /// Receives a connection on which the server has selected HTTP/2, and the waiting calls.
    typealias HTTP2Handler =
        @Sendable (_ connection: OpenConnection, _ waiting: [CallCore]) -> Void

    let target: Target
    let queue: CompletionQueue
    let loop: EventLoop
    let authority: String
    let limits: MessageLimits
    let metrics: (any ChannelMeter)?
    let openCalls = CallRegistry()
    let credentials: ChannelCredentials
    let arguments: ChannelArguments
    let sockets: SocketSupply?
    /// The proxy that connections are made through. Nil for none.
    let proxy: ProxyServer?
    /// Called when the server has selected HTTP/2. If nil, connections offer HTTP/1.1 alone.
    let whenHTTP2: HTTP2Handler?
    /// Called when a server has selected HTTP/1.1, or an attempt to connect has failed.
    let whenNotHTTP2: (@Sendable () -> Void)?
    /// Called when the channel accepts no more calls.
    let whenOver: (@Sendable () -> Void)?
    let state: Mutex<State>
    let timer = TimerSlot()
    let idleTimer = TimerSlot()

    init(
        _ target: Target, credentials: ChannelCredentials, arguments: ChannelArguments,
        queue: CompletionQueue, sockets: SocketSupply? = nil, proxy: ProxyServer? = nil,
        whenHTTP2: HTTP2Handler? = nil, whenNotHTTP2: (@Sendable () -> Void)? = nil,
        whenOver: (@Sendable () -> Void)? = nil
    ) {
        self.target = target
        self.credentials = credentials
        self.arguments = arguments
        self.queue = queue
        self.sockets = sockets
        self.proxy = proxy
        self.whenHTTP2 = whenHTTP2
        self.whenNotHTTP2 = whenNotHTTP2
        self.whenOver = whenOver
        loop = queue.loop
        authority = Self.authority(target, credentials, arguments)
        limits = MessageLimits(
            maxSendByteCount: arguments.maxSendMessageByteCount,
            maxReceiveByteCount: arguments.maxReceiveMessageByteCount,
            maxReplayByteCount: arguments.maxReplayByteCount)
        metrics = arguments.meter(of: target, isSecure: credentials.isSecure)
        let pool = Pool(maxCount: arguments.maxConnectionCount ?? 6, arguments.backoff)
        state = Mutex(State(pool: pool))
        arguments.connectivityMonitor?.add(self, at: target)
        if !queue.add(self) { shutDown() }
    }

    private static func authority(
        _ target: Target, _ credentials: ChannelCredentials, _ arguments: ChannelArguments
    ) -> String {
        arguments.defaultAuthority ?? arguments.targetNameOverride
            ?? credentials.targetNameOverride ?? target.defaultAuthority
    }

    /// Changes the state, and reports a changed connectivity outside the lock.
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, followers) = state.withLock { state in
            let result = body(&state)
            state.noteConnectivity()
            defer { state.hasUnreported = false }
            return (result, state.hasUnreported ? state.followers : nil)
        }
        followers?.tell()
        return result
    }
}

extension HTTP1Channel.State {
    fileprivate mutating func noteConnectivity() {
        let now = isShutDown ? .shutdown : pool.connectivity
        guard now != connectivity, connectivity != .shutdown else { return }
        connectivity = now
        if followers.note(now, isLast: now == .shutdown) { hasUnreported = true }
    }
}

// MARK: - Calls

extension HTTP1Channel: CallBackend {
    func begin(_ call: CallCore) {
        guard call.head.isPlain || whenHTTP2 != nil else { return refuse(call) }
        let isShutDown = state.withLock { state in
            if !state.isShutDown { state.pool.add(call) }
            return state.isShutDown
        }
        guard !isShutDown else { return call.end(with: closedError, isImmediate: true) }
        loop.run { [self] in advance() }
    }

    /// The server uses HTTP/1.1, which cannot carry a gRPC call.
    private func refuse(_ call: CallCore) {
        call.end(
            with: .refused(
                .failedPrecondition,
                "\(target) is reached by HTTP/1.1, and a call of gRPC needs HTTP/2"),
            isImmediate: true)
    }

    /// Gives waiting calls to connections, and opens new connections for them.
    func advance() {
        while let step = nextStep() { perform(step) }
        let retry = state.withLock { $0.pool.retryTime(now: .now) }
        if let retry { timer.schedule(RetryTimer(self), at: retry, on: loop) }
        endIfReleased()
    }

    func perform(_ step: Pool.Step) {
        switch step {
        case .open(let call, let link): open(call, on: link)
        case .connect: connectOnce()
        case .fail(let call, let failure, let nextAttempt):
            call.end(
                with: failure.error(target: target, nextAttempt: nextAttempt), isImmediate: true)
        }
    }

    private func nextStep() -> Pool.Step? {
        // Released outside the lock.
        _ = state.withLock { $0.pool.takeEnded() }
        return change { $0.isShutDown ? nil : $0.pool.nextStep(now: .now) }
    }

    private func open(_ call: CallCore, on link: HTTP1Link) {
        guard call.head.isPlain else {
            refuse(call)
            return putBack(link)
        }
        // The server may have closed an idle connection.
        let opening =
            link.isAlive()
            ? link.open(call, head(of: call), isIdempotent: call.isIdempotent) : .refused
        switch opening {
        case .isOpen: return
        // Does not call advance(), whose loop continues: otherwise many failing calls would nest.
        case .isOver: putBack(link)
        case .refused:
            link.end("the connection takes no more calls")
            // The channel may have been closed in the meantime. It then gives calls to no connection.
            let isShutDown = change { state in
                if !state.isShutDown { state.pool.putBack(call) }
                return state.isShutDown
            }
            if isShutDown { call.end(with: closedError, isImmediate: true) }
        }
    }

    private func head(of call: CallCore) -> HeaderList {
        var head =
            call.head.method.plain?.head(
                path: call.head.path, authority: call.head.authority ?? authority,
                scheme: credentials.scheme, userAgent: arguments.userAgent) ?? HeaderList()
        head.append(contentsOf: RequestHead.fields(call.head.metadata, deadline: .never))
        return head
    }

    func forget(_ call: CallCore) {
        // advance() removes the ended call, at the latest when it is the first of the waiting
        // calls.
        loop.run { [self] in advance() }
    }

    func deadlineError(of call: CallCore) -> RPCError {
        guard !call.hasStream else { return call.deadlineErrorOfSent(to: target) }
        let (connectivity, failure, attempt) = state.withLock { state in
            (state.connectivity, state.pool.lastFailure, state.attempts.values.first)
        }
        var error = RPCError(
            .deadlineExceeded, "the deadline passed \(connectivity.whileCallsWait) to \(target)")
        error.phase = .connect
        error.add(attempt?.progress ?? [])
        if let failure {
            error.causes += failure.causes
            error.attempts = failure.triedAddresses
        }
        return error
    }

    var closedError: RPCError {
        let what = queue.isShutDown ? "completion queue of the channel" : "channel"
        return RPCError(.unavailable, "the \(what) to \(target) was closed").notExecuted
    }
}

extension HTTP1Link: PooledConnection {}

extension CallCore: PooledCall {
    var waitsForReady: Bool { head.waitForReady }
}

extension CallCore {
    fileprivate var isIdempotent: Bool { head.method.plain?.method.isIdempotent ?? false }
}
