import SwiftletTransport

/// The life of the connections to one endpoint, without I/O: inputs and the time go in, actions come out.
///
/// Connects when a balancer wants it, waits for a growing delay after a failure, drains connections whose
/// address or server goes away, and adds connections while all open ones are full (proposal A105).
struct SubchannelLife: ~Copyable {
    typealias Link = any SubchannelLink

    enum Input: Sendable {
        /// A balancer or a picker wants a connection.
        case wanted
        /// A call waits for a stream, because ``linkForCall(at:)`` has found none on the open connections.
        case waits(CallCore)
        /// Streams of a connection are free.
        case room(Link, streamCount: Int)
        /// Calls that were handed out have begun again.
        case begun(callCount: Int)
        /// An attempt has ended with a connection, whose TLS certificate was checked for the name.
        case connected(Link, named: ServerName?, AddressOrder.Lesson, attempt: Int)
        case failed(ConnectionFailure, AddressOrder.Lesson, attempt: Int)
        case timerFired
        case networkIsBack
        /// The connection accepts no new calls. Its calls continue.
        case draining(Link, LinkError)
        /// May be reported more than once.
        case ended(Link, LinkError)
        case endpoint(Endpoint)
        /// Nil is the usual number of the version of HTTP.
        case maxConnectionCount(Int?)
        /// The next call opens a new connection.
        case drainAll
        /// Connections without calls are not needed, but one stays.
        case drainSpares
        /// The balancer needs the subchannel no more.
        case dropped
        case healthCheck(HealthCheck?)
        case health(HealthResult, service: String, Link)
        case loadInterval(Duration?, requester: String, any ReportSource)
    }

    enum Action: Sendable {
        /// The balancer gets ``report(target:)``. Always the first action.
        case report
        /// The connection reports to the subchannel from now on.
        case adopt(Link)
        /// Closes a connection that nothing uses.
        case giveUp(Link)
        /// Closes connections after their last calls.
        case leave([Link])
        /// The connections for new calls are others. The channel may have a direct route to one.
        case reportLinks
        case connect(SubchannelAddresses, timeLimit: Duration, attempt: Int)
        /// Gives the running attempt other addresses. Those that stay continue.
        case redirect(SubchannelAddresses)
        case cancelAttempt
        /// An earlier timer is replaced, or fires and is ignored.
        case setTimer(MonotonicInstant)
        case closeTimer
        /// Picks again for calls that have waited for a stream. ``Input/begun(callCount:)`` follows.
        case begin([CallCore])
        /// Releases calls that have ended, outside the lock.
        case release([CallCore])
        /// The last connection has ended, or the last waiting call has begun again.
        case reportEndOfUse
        /// For the metrics.
        case noteFailedAttempt
        case noteDisconnected(LinkError.Kind, count: Int)
        /// For the metrics and the log.
        case noteEnd(Link, cause: String)
    }

    private(set) var addresses: SubchannelAddresses
    private(set) var links = SubchannelLinks()
    private var attempts: ConnectionAttempts
    /// Calls that wait for a stream, because all open connections are full. Empty if none is open.
    private var waiting = WaitingCalls()
    private var server: ServerReports
    private var maxConnectionCount: Int?
    /// Whether the newest connection carries several calls at once.
    private var isMultiplexed = true
    private(set) var isDropped = false
    /// The state that the balancer has; nil if it must get the state although that is the same.
    private var reported: ConnectivityState? = .idle
    /// The time and the actions of the present input.
    private var now = MonotonicInstant(nanoseconds: 0)
    private var actions: [Action] = []

    init(
        _ endpoint: Endpoint, _ attempts: ConnectionAttempts, maxConnectionCount: Int?,
        server: ServerReports
    ) {
        addresses = SubchannelAddresses(endpoint)
        self.attempts = attempts
        self.maxConnectionCount = maxConnectionCount
        self.server = server
    }
}

// MARK: - Inputs

extension SubchannelLife {
    mutating func handle(_ input: Input, at now: MonotonicInstant) -> [Action] {
        self.now = now
        switch input {
        case .wanted: if connectivity == .idle { connect() }
        case .waits(let call):
            let removed = waiting.append(call)
            if !removed.isEmpty { actions.append(.release(removed)) }
        case .room(let link, let count):
            // Beginning every waiting call whenever one stream becomes free would take quadratic time.
            if links.isOpen(link) { begin(waiting.handOut(upTo: count)) }
        case .begun(let count):
            waiting.begun(count)
            if !hasWaitingCalls { actions.append(.reportEndOfUse) }
        case .connected(let link, let name, let lesson, let attempt):
            use(link, named: name, lesson, of: attempt)
        case .failed(let failure, let lesson, let attempt): note(failure, lesson, of: attempt)
        case .timerFired: retry()
        case .networkIsBack: connectWithoutDelay()
        case .draining(let link, let loss): retire(link, loss)
        case .ended(let link, let loss): end(link, loss)
        case .endpoint(let endpoint): move(to: endpoint)
        case .maxConnectionCount(let count):
            // A subchannel with one connection has a direct route.
            let former = connectionLimit
            maxConnectionCount = count
            if connectionLimit != former { actions.append(.reportLinks) }
        case .drainAll: leave(links.open)
        case .drainSpares: leave(spares)
        case .dropped: drop()
        case .healthCheck(let check): server.setHealthCheck(check)
        case .health(let health, let service, let link):
            guard link === links.open.first else { break }
            if server.setHealth(health, of: service) { reported = nil }
        case .loadInterval(let interval, let requester, let source):
            server.setLoadInterval(interval, for: requester, source)
        }
        addConnectionForWaiting()
        let present = health?.subchannelState.connectivity ?? connectivity
        if present != reported, !isDropped { actions.insert(.report, at: 0) }
        reported = present
        defer { actions = [] }
        return actions
    }
}

// MARK: - Connecting

extension SubchannelLife {
    /// Begins an attempt, unless one is running or no connection may be added.
    private mutating func connect() {
        guard !isDropped, !isConnecting, !addresses.list.isEmpty,
            links.open.count < connectionLimit
        else { return }
        // The delay does not grow while an open connection shows that the server can be reached.
        noteSuccess(of: links.open)
        let (attempt, timeLimit) = attempts.begin(at: now)
        actions.append(.connect(addresses, timeLimit: timeLimit, attempt: attempt))
    }

    private mutating func use(
        _ link: Link, named name: ServerName?, _ lesson: AddressOrder.Lesson, of attempt: Int
    ) {
        let isExpected = attempts.end(attempt)
        guard isExpected, addresses.lists(link.address, named: name) else {
            actions.append(.giveUp(link))
            // The address may have been removed while the connection became ready.
            if isExpected { connect() }
            return
        }
        addresses.learn(lesson)
        attempts.connected()
        links.add(link)
        isMultiplexed = link.isMultiplexed
        actions += [.adopt(link), .reportLinks]
        begin(waiting.handOutAll())
    }

    private mutating func note(
        _ failure: ConnectionFailure, _ lesson: AddressOrder.Lesson, of attempt: Int
    ) {
        guard attempts.end(attempt) else { return }
        addresses.learn(lesson)
        actions.append(.noteFailedAttempt)
        guard !links.open.isEmpty else {
            return attempts.isFailure(failure) ? fail(failure) : connect()
        }
        // The attempt was for one more connection. The waiting calls are queued on the open ones, if these
        // carry several at once.
        attempts.failExtra()
        begin(waiting.handOutAll())
    }

    private mutating func fail(_ failure: ConnectionFailure) {
        actions.append(.setTimer(attempts.fail(failure, at: now)))
        // The failure is a new one, even when the state was the same before.
        reported = nil
    }

    /// Connects once more for calls that wait while all open connections are full.
    private mutating func addConnectionForWaiting() {
        guard !links.open.isEmpty, links.open.count < connectionLimit, !isConnecting,
            !waiting.isEmpty
        else { return }
        if let next = attempts.nextExtra, next > now {
            actions.append(.setTimer(next))
        } else {
            connect()
        }
    }

    private mutating func retry() {
        guard connectivity == .transientFailure, !isConnecting else { return }
        guard let next = attempts.next, next > now else { return connect() }
        // An earlier timer has fired.
        actions.append(.setTimer(next))
    }

    private mutating func connectWithoutDelay() {
        attempts.resetDelays()
        // The packets that the attempt sent are lost, and the system would send them again only much later.
        let wasConnecting = attempts.cancel()
        if wasConnecting { actions.append(.cancelAttempt) }
        if wasConnecting || connectivity == .transientFailure { connect() }
    }

    /// Drains connections to addresses that are gone. Tries a new address at once: the delay after failures
    /// of other addresses does not apply to it.
    ///
    /// A running attempt continues, with the addresses that stay: a resolver that reports often must not keep
    /// the channel from connecting.
    private mutating func move(to endpoint: Endpoint) {
        guard let (kept, hasNew) = addresses.replace(by: endpoint) else { return }
        leave(links.open.filter { !kept.contains($0.address) })
        guard isConnecting || (hasNew && connectivity == .transientFailure) else { return }
        if hasNew { attempts.beginDelaysAgain() }
        if isConnecting { actions.append(.redirect(addresses)) } else { connect() }
    }
}

// MARK: - Draining

extension SubchannelLife {
    /// Stops the use of connections for new calls. If no open one is left, picks again for waiting calls.
    private mutating func drain(_ drained: [Link]) {
        noteSuccess(of: drained)
        links.drain(drained)
        if !isDropped { actions.append(.reportLinks) }
        guard links.open.isEmpty else { return }
        server.connectionWasLost()
        begin(waiting.handOutAll())
    }

    /// This side drains connections.
    private mutating func leave(_ left: [Link]) {
        guard !left.isEmpty else { return }
        actions += [.noteDisconnected(.ownEnd, count: left.count), .leave(left)]
        drain(left)
    }

    /// The server drains a connection, or it was lost.
    private mutating func retire(_ link: Link, _ loss: LinkError) {
        guard links.isOpen(link) else { return }
        actions.append(.noteDisconnected(loss.kind, count: 1))
        let hadSucceeded = attempts.hasSucceeded(link, at: now)
        if attempts.isFailure(loss, hadSucceeded: hadSucceeded), links.open.count == 1,
            !isConnecting
        {
            let cause = "connect \(link.peer): \(loss.cause)"
            let phase = link.isMultiplexed ? RPCError.Phase.http2 : .connect
            let attempt = RPCError.Attempt(address: link.peer, cause: cause)
            fail(ConnectionFailure(phase: phase, attempts: [attempt]))
        }
        drain([link])
    }

    private mutating func end(_ link: Link, _ loss: LinkError) {
        retire(link, loss)
        guard links.remove(link) else { return }
        actions.append(.noteEnd(link, cause: loss.cause))
        if links.isEmpty { actions.append(.reportEndOfUse) }
    }

    private mutating func drop() {
        isDropped = true
        actions.append(.closeTimer)
        if attempts.cancel() { actions.append(.cancelAttempt) }
        leave(links.open)
        if links.isEmpty { actions.append(.reportEndOfUse) }
    }

    /// A connection that has succeeded ends the delays of earlier failures, whichever side ends it.
    private mutating func noteSuccess(of links: [Link]) {
        if links.contains(where: { attempts.hasSucceeded($0, at: now) }) { attempts.succeeded() }
    }

    /// The connections without calls. If no connection has calls, one is kept.
    private var spares: [Link] {
        let idle = links.open.filter { $0.callCount == 0 }
        return idle.count == links.open.count ? Array(idle.dropFirst()) : idle
    }
}

// MARK: - Calls

extension SubchannelLife {
    /// The connection for a new call. Nil when there is none, or when each has as many streams as its server
    /// allows and the call gets one that becomes free or one of a new connection.
    func linkForCall(at now: @autoclosure () -> MonotonicInstant) -> Link? {
        hasOneQueue ? links.open.last : linkWithRoom(at: now())
    }

    private func linkWithRoom(at now: @autoclosure () -> MonotonicInstant) -> Link? {
        if let link = links.open.first(where: { $0.roomCount > 0 }) { return link }
        if !mayAddConnection(at: now()),
            let link = links.open.lazy.filter(\.isMultiplexed)
                .min(by: { $0.callCount < $1.callCount })
        {
            return link
        }
        // The call gets a stream that becomes free, or the new connection, whichever comes first.
        return links.open.first { !$0.reportRoom() }
    }

    /// The connection of a subchannel that may have only one; nil if it may have more. Calls can be opened on
    /// it without the picker.
    var onlyLink: Link? { hasOneQueue ? links.open.first : nil }

    /// Whether all calls are queued on one connection.
    private var hasOneQueue: Bool { isMultiplexed && connectionLimit == 1 }

    private var connectionLimit: Int {
        max(1, maxConnectionCount ?? (isMultiplexed ? 1 : Self.serialConnectionCount))
    }

    /// The usual number of connections that carry one call at a time.
    private static var serialConnectionCount: Int { 6 }

    private func mayAddConnection(at now: @autoclosure () -> MonotonicInstant) -> Bool {
        links.open.count < connectionLimit && attempts.mayAddConnection(at: now())
    }

    private mutating func begin(_ calls: [CallCore]) {
        if !calls.isEmpty { actions.append(.begin(calls)) }
    }

    /// Whether calls wait for a stream, or were handed out and have not begun again.
    var hasWaitingCalls: Bool { waiting.isPending }

    /// Whether ``Input/room(_:streamCount:)`` of the connection would hand out a call.
    func hasWaitingCalls(for link: Link) -> Bool { links.isOpen(link) && !waiting.isEmpty }

    /// Removes waiting calls that the caller ends.
    mutating func takeWaiting(where isTaken: (CallCore) -> Bool) -> [CallCore] {
        waiting.take(where: isTaken)
    }
}

// MARK: - State

extension SubchannelLife {
    /// A subchannel that has failed stays in TRANSIENT_FAILURE until it is connected (proposal A62): otherwise
    /// calls would wait for each new attempt instead of failing at once.
    private var connectivity: ConnectivityState {
        if !links.open.isEmpty { return .ready }
        if attempts.failure != nil { return .transientFailure }
        return isConnecting ? .connecting : .idle
    }

    /// The health of a connected server; nil when it is not checked. Only a server of HTTP/2 is asked.
    private var health: HealthResult? {
        connectivity == .ready && isMultiplexed ? server.checkedHealth : nil
    }

    /// The state as it is reported to the balancer. The error names the target.
    func report(target: Target) -> SubchannelState {
        var report =
            health?.subchannelState
            ?? SubchannelState(
                connectivity,
                failure: failure?.error(target: target, nextAttempt: attempts.next))
        if report.connectivity == .ready {
            report.address = links.open.first.map { ServerAddress($0.address) }
        }
        return report
    }

    /// Whether an attempt is running.
    var isConnecting: Bool { attempts.running != nil }

    /// Why there is no connection; nil in other states than TRANSIENT_FAILURE.
    var failure: ConnectionFailure? { attempts.failure }

    /// The part of the failure that changes with time.
    var reconnection: RPCError.Reconnection? {
        failure?.reconnection(nextAttempt: attempts.next)
    }

    /// Whether the balancer needs the subchannel no more, and neither does a connection or a call.
    var isOver: Bool { isDropped && links.isEmpty && !hasWaitingCalls }

    /// The connection whose server is asked for reports, and the reports.
    var wantedReports:
        (link: Link?, wanted: [(subject: SubchannelSubject, source: any ReportSource)])
    {
        (links.open.first, server.wanted)
    }
}
