import SwiftletTransport
import Synchronization

/// The channel proper: finds addresses, connects, and hands calls to connections.
///
/// Addresses are tried in the manner of gRPC's `pick_first`: the first that answers carries all
/// calls until it goes away.
final class ChannelCore: Sendable {
    struct State {
        var connectivity = ConnectivityState.idle
        /// Connections that take calls.
        var links: [Link] = []
        /// Connections that take none any more, and whose calls run on.
        var leaving: [Link] = []
        /// Connections of a channel that was closed.
        var closing: [ClosingLink] = []
        var attempt: ConnectionAttempt?
        var backoff: Backoff
        var backoffTimer: TimerHandle?
        /// When the next attempt to connect begins by itself.
        var nextAttempt: MonotonicInstant?
        /// Until when no connection is tried beside those that there are.
        var nextExtraAttempt: MonotonicInstant?
        var idleTimer: TimerHandle?
        var wasUsed = false
        /// The channel in front of it is gone.
        var isReleased = false
        /// Calls that wait for a connection, in order; those that have ended meanwhile too.
        var waiting: [CallCore] = []
        var forgottenCount = 0
        var lastFailure: ConnectionFailure?
        let followers = Followers<ConnectivityState>()
        /// They have to be told of a change.
        var owesNews = false
        var heads = RequestHeadCache()
        /// What happened on connections that are gone.
        var pastCounts = ChannelCounts()
        /// Keep-alive grows when a server asks for fewer PINGs.
        var keepAliveFactor = 1
    }

    let target: Target
    let credentials: ChannelCredentials
    let arguments: ChannelArguments
    let queue: CompletionQueue
    let loop: EventLoop
    /// What requests are addressed to.
    let authority: String
    private let scheme: String
    private let userAgent: String
    let limits: MessageLimits
    let state: Mutex<State>
    let chains = ChainRegistry()
    /// Where connected sockets come from, instead of from the target's addresses.
    let sockets: SocketSupply?

    init(
        _ target: Target, credentials: ChannelCredentials, arguments: ChannelArguments,
        queue: CompletionQueue, sockets: SocketSupply? = nil
    ) {
        self.target = target
        self.sockets = sockets
        self.credentials = credentials
        self.arguments = arguments
        self.queue = queue
        loop = queue.loop
        authority =
            arguments.defaultAuthority ?? arguments.targetNameOverride
            ?? credentials.targetNameOverride ?? target.defaultAuthority
        scheme = credentials.scheme
        userAgent = arguments.userAgent
        limits = MessageLimits(
            compression: arguments.defaultCompression,
            maxSendByteCount: arguments.maxSendMessageByteCount,
            maxReceiveByteCount: arguments.maxReceiveMessageByteCount,
            heldBackByteCount: arguments.heldBackByteCount)
        state = Mutex(State(backoff: Backoff(arguments.backoff)))
        arguments.connectivityMonitor?.add(self)
        if !queue.adopt(self) { shutDown() }
    }
}

extension ChannelCore {
    /// Changes the state, and tells those who follow the connectivity, outside the lock.
    func change<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
        let (result, followers) = state.withLock { state in
            let result = body(&state)
            defer { state.owesNews = false }
            return (result, state.owesNews ? state.followers : nil)
        }
        followers?.tell()
        return result
    }
}

// MARK: - Calls

extension ChannelCore: CallBackend {
    /// What to do with a call, decided under the lock.
    private enum Pick {
        case open(Link, PreparedHeaders)
        case wait(startsConnecting: Bool)
        case fail(RPCError)
    }

    func begin(_ call: CallCore) {
        while true {
            switch pick(for: call) {
            case .open(let link, let prepared):
                let fields = RequestHead.fields(
                    call.head.metadata, deadline: call.deadlineToSend ?? .never)
                if link.open(call, prepared, fields) { return }
                // The connection takes no calls any more; look again.
                leaveRefusing(link)
            case .wait(let startsConnecting):
                if startsConnecting { startConnecting() }
                return
            case .fail(let error):
                return call.end(with: error, isImmediate: true)
            }
        }
    }

    private func pick(for call: CallCore) -> Pick {
        state.withLock { state in
            state.wasUsed = true
            if state.connectivity == .shutdown {
                return .fail(closedError)
            }
            if let link = state.linkForCall(maxCount: arguments.maxConnectionCount) {
                do throws(RPCError) {
                    return .open(link, try prepared(for: call, in: &state.heads))
                } catch {
                    return .fail(error)
                }
            }
            if !state.links.isEmpty {
                state.waiting.append(call)
                return .wait(startsConnecting: state.attempt == nil)
            }
            if state.connectivity == .transientFailure, !call.head.waitForReady,
                let failure = state.lastFailure
            {
                return .fail(
                    failure.error(
                        target: target,
                        nextIn: state.nextAttempt.map { MonotonicInstant.now.duration(to: $0) }))
            }
            state.waiting.append(call)
            return .wait(startsConnecting: state.connectivity == .idle)
        }
    }

    private func prepared(
        for call: CallCore, in cache: inout RequestHeadCache
    ) throws(RPCError) -> PreparedHeaders {
        try cache.prepared(
            for: call, defaultAuthority: authority, scheme: scheme, userAgent: userAgent)
    }

    /// What calls end with once there are no connections for them.
    var closedError: RPCError {
        let what = queue.isShutDown ? "completion queue of the channel" : "channel"
        return RPCError(.unavailable, "the \(what) to \(target) was closed").notExecuted
    }

    func forget(_ call: CallCore) {
        // Kept in line until there are many of them: taking each out of the middle would cost
        // the square of their number.
        let (dead, isLast): ([CallCore], Bool) = state.withLock { state in
            state.forgottenCount += 1
            let isLast = state.isReleased && state.forgottenCount >= state.waiting.count
            guard state.forgottenCount > 64, state.forgottenCount * 2 > state.waiting.count else {
                return ([], isLast)
            }
            let waiting = state.waiting
            state.waiting = waiting.filter { !$0.isEnded }
            state.forgottenCount = 0
            return (waiting, isLast)
        }
        // Let go of outside the lock.
        _ = dead
        // Behind whoever has taken calls out of the line to place them, and has not placed them yet.
        if isLast { loop.run { [self] in shutDownIfReleased() } }
    }

    func deadlineError(of call: CallCore) -> RPCError {
        let (connectivity, failure) = state.withLock { ($0.connectivity, $0.lastFailure) }
        guard call.hasStream else {
            var error = RPCError(
                .deadlineExceeded,
                "the deadline passed \(connectivity.whileCallsWait) to \(target)")
            error.phase = .connect
            if let failure {
                error.causes = failure.causes
                error.attempts = failure.triedAddresses
            }
            return error
        }
        var error = RPCError(.deadlineExceeded, "the deadline passed before \(target) answered")
        error.mayHaveBeenExecuted = true
        return error
    }
}

extension ChannelCore.State {
    /// The connection for a new call. Nil when there is none, or when all have as many streams as
    /// their servers allow and there may be one more.
    fileprivate mutating func linkForCall(maxCount: Int) -> Link? {
        guard maxCount > 1 else { return links.last }
        if let link = links.first(where: \.hasRoom) { return link }
        let mayConnect = links.count < maxCount && nextExtraAttempt.map { $0 <= .now } ?? true
        guard mayConnect else { return links.min { $0.callCount < $1.callCount } }
        // Whatever comes first, a stream or the connection, the call gets.
        return links.first { !$0.reportRoom() }
    }

    /// Takes the first calls that wait, up to so many that have not ended, and those that have as
    /// well: they are let go of outside the lock.
    mutating func takeWaiting(upTo count: Int) -> [CallCore] {
        var end = 0
        var left = count
        while end < waiting.count, left > 0 {
            if waiting[end].isEnded {
                forgottenCount = max(0, forgottenCount - 1)
            } else {
                left -= 1
            }
            end += 1
        }
        defer { waiting.removeFirst(end) }
        return Array(waiting[..<end])
    }

    /// Takes the calls that wait, to be told something outside the lock.
    mutating func takeWaiting(where isTaken: (CallCore) -> Bool = { _ in true }) -> [CallCore] {
        let taken = waiting.filter(isTaken)
        waiting.removeAll(where: isTaken)
        forgottenCount = waiting.count { $0.isEnded }
        return taken
    }

    /// Takes a connection out of use. False when it was not in use.
    mutating func remove(_ link: Link) -> Bool {
        guard links.contains(where: { $0 === link }) else { return false }
        links.removeAll { $0 === link }
        if links.isEmpty { move(to: stateWithoutLinks) }
        return true
    }

    /// Takes all connections out of use. They are to be left.
    mutating func takeLinks() -> [Link] {
        let taken = links
        leaving += taken
        links = []
        if connectivity == .ready { move(to: stateWithoutLinks) }
        return taken
    }

    /// What a channel is when its last connection has gone, with or without another on its way.
    var stateWithoutLinks: ConnectivityState { attempt == nil ? .idle : .connecting }

    mutating func move(to connectivity: ConnectivityState) {
        guard connectivity != self.connectivity, self.connectivity != .shutdown else { return }
        self.connectivity = connectivity
        if followers.note(connectivity, isLast: connectivity == .shutdown) { owesNews = true }
    }
}
