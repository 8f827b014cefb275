import SwiftletTransport
import Synchronization

/// The connections to one endpoint: connects, backs off, drains, and gives streams to calls.
///
/// Addresses of the endpoint are tried according to RFC 8305. The first connection whose server
/// uses HTTP/2 carries all calls until it closes.
final class SubchannelCore: Sendable {
    struct State {
        var addresses: [SocketAddress]
        /// The TLS names of addresses. For an address without an entry, TLS checks the channel's name.
        var serverNames: [SocketAddress: String] = [:]
        private(set) var connectivity = ConnectivityState.idle
        /// Counts changes of the connectivity, and failed attempts.
        private(set) var changeCount: UInt32 = 0
        /// The order in which the next attempt tries the addresses.
        var order = AddressOrder()
        /// Connections that accept calls.
        var links: [Link] = []
        /// Connections that accept no new calls but whose calls continue.
        var leaving: [Link] = []
        var attempt: ConnectionRace<Link>?
        var backoff: Backoff
        /// When the next attempt to connect begins by itself.
        var nextAttempt: MonotonicInstant?
        /// Before this time, no connection is tried in addition to the open ones.
        var nextExtraAttempt: MonotonicInstant?
        /// Calls that wait for a stream, because all open connections are full. Empty if there is no open
        /// connection: see ``drain(_:)``.
        var waiting = WaitingCalls()
        /// The number of calls that were taken from ``waiting`` and have not begun again yet. A released
        /// channel is not shut down before them.
        var handedOutCount = 0
        var lastFailure: ConnectionFailure?
        /// Whether the server has drained the last connection before it had succeeded.
        var wasDrainedEarly = false
        var maxConnectionCount: Int
        /// The balancer has dropped the subchannel.
        var isDropped = false
        /// The streams on which the server sends reports outside of the program's calls.
        var streams: SubchannelStreams
        /// The last state that was written to the channel's log.
        var loggedConnectivity = ConnectivityState.idle
        /// The counts of connections that have ended.
        var pastCounts = ChannelCounts()
    }

    let id: UInt64
    /// The number of the subchannel in the process.
    let diagnosticID = DiagnosticID.next()
    let plan: ConnectionPlan
    /// Whether the server's health is checked, if the service config names a service.
    let checksHealth: Bool
    let backoffTimer = TimerSlot()
    let state: Mutex<State>
    let owner: any SubchannelOwner

    init(
        id: UInt64, _ endpoint: Endpoint, plan: ConnectionPlan, maxConnectionCount: Int,
        checksHealth: Bool = false, healthService: String? = nil, owner: any SubchannelOwner
    ) {
        self.id = id
        self.plan = plan
        self.checksHealth = checksHealth
        self.owner = owner
        state = Mutex(
            State(
                addresses: endpoint.addresses.map(\.socketAddress),
                serverNames: endpoint.serverNames,
                backoff: Backoff(plan.arguments.backoff),
                maxConnectionCount: max(1, maxConnectionCount),
                streams: SubchannelStreams(healthService: checksHealth ? healthService : nil)))
    }
}

/// Receives the events of a subchannel, outside its lock.
protocol SubchannelOwner: AnyObject, Sendable {
    /// The state has changed. ``SubchannelCore/report`` is the new state.
    func subchannelChanged(_ subchannel: SubchannelCore)
    /// A connection was opened, drained or closed.
    func subchannelLinksChanged(_ subchannel: SubchannelCore)
    /// Picks again for a call whose subchannel has no connection any more.
    func begin(_ call: CallCore)
    /// The server has reported its load. After the balancer has received the report, the owner calls
    /// ``SubchannelCore/readNextReports()``.
    func subchannel(_ subchannel: SubchannelCore, reported load: LoadReport)
    /// The channel's log.
    var log: ChannelLog { get }
    /// The authority, scheme and user agent of the channel's own requests.
    var requestAuthority: RequestAuthority { get }
    /// The last connection has closed, or calls that waited for a stream have begun again. The channel may
    /// not need the subchannel any more.
    func subchannelUseEnded(_ subchannel: SubchannelCore)
}

// MARK: - Calls

extension SubchannelCore: SubchannelBackend {
    /// What to do with a call, decided under the lock.
    private enum Choice {
        case open(Link)
        case wait(startsConnecting: Bool, removed: [CallCore])
        case disconnected
    }

    package func open(_ call: CallCore, _ prepared: PreparedHeaders) -> SubchannelOpening {
        while true {
            switch choose(for: call) {
            case .open(let link):
                if link.open(call, prepared) { return .opened }
                drainRefusing(link)
            case .wait(let startsConnecting, let removed):
                _ = removed
                if startsConnecting { startConnecting(if: \.mayAddConnection) }
                return .opened
            case .disconnected: return .disconnected
            }
        }
    }

    private func choose(for call: CallCore) -> Choice {
        state.withLock { state in
            if let link = state.linkForCall() { return .open(link) }
            guard !state.links.isEmpty else { return .disconnected }
            let removed = state.waiting.append(call)
            return .wait(startsConnecting: state.attempt == nil, removed: removed)
        }
    }

    /// The connection of a subchannel that may have only one; nil if it may have more. Calls can be
    /// opened on it without the picker.
    var onlyLink: Link? {
        state.withLock { state in
            state.maxConnectionCount == 1 && !state.isDropped ? state.links.first : nil
        }
    }
}

extension SubchannelCore.State {
    mutating func move(to connectivity: ConnectivityState) {
        guard connectivity != self.connectivity else { return }
        self.connectivity = connectivity
        noteChange()
    }

    /// Records a change, which is reported to the owner.
    mutating func noteChange() { changeCount &+= 1 }

    /// Whether a connection may be opened in addition to the open ones.
    fileprivate var mayAddConnection: Bool {
        links.count < maxConnectionCount && nextExtraAttempt.map { $0 <= .now } ?? true
    }

    /// The connection for a new call. Nil when there is none, or when each has as many streams as its
    /// server allows and another connection may be opened.
    fileprivate mutating func linkForCall() -> Link? {
        guard maxConnectionCount > 1 else { return links.last }
        if let link = links.first(where: \.hasRoom) { return link }
        guard mayAddConnection else { return links.min { $0.callCount < $1.callCount } }
        // The call gets a stream that becomes free, or the new connection, whichever comes first.
        return links.first { !$0.reportRoom() }
    }
}
