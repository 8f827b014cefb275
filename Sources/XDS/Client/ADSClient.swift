import SwiftletCore
import SwiftletMessages
import SwiftletTransport

/// The client of a control plane as a value: watches, streams, responses and the time go in, and actions come out.
///
/// It follows the state-of-the-world protocol: each request lists all names of a type, and accepts or rejects the last
/// response of that type. After any input, the owner carries out what ``takeActions(at:)`` returns.
struct ADSClient: Sendable {
    typealias Server = XDS.Bootstrap.Server

    struct WatcherID: Hashable, Sendable { let number: UInt64 }

    enum Action: Sendable {
        /// Opens a stream. Reports `streamOpened`, or `streamClosed` with the cause.
        case open(Server)
        /// Closes the stream, or ends the attempt. Nothing more is reported of it.
        case close(Server)
        /// Sends a request. Reports `requestSent`.
        case send(Server, Envoy.Discovery.DiscoveryRequest)
        /// Reads one response.
        case read(Server)
        case notify(WatcherID, WatchEvent)
        /// For metrics: a response was read.
        case count(UpdateCounts)
        /// Reports the time at this moment, instead of an earlier one; nil for never.
        case setTimer(MonotonicInstant?)
    }

    /// How many resources of a response are valid.
    struct UpdateCounts: Hashable, Sendable {
        let server: Server
        let type: ResourceType
        var valid = 0
        var invalid = 0
    }

    /// What happens to a resource that is in use when its successor is wrong or missing.
    enum DataErrors: Sendable {
        /// It stays in use unless the server has `fail_on_data_errors` (A88).
        case keep
        /// As `grpcio` and grpc-go today: a rejected one stays, and a deleted listener or cluster does not.
        case dropDeleted
    }

    /// The servers that are asked for the resources of an authority.
    struct Authority: Sendable {
        let servers: [Server]
        /// The least preferred server that is asked. All that are preferred to it are asked, too (A71).
        var last = 0
        /// The number of resources that are watched.
        var resourceCount = 0

        var active: ArraySlice<Server> { servers[...last] }
    }

    let bootstrap: XDS.Bootstrap
    let dataErrors: DataErrors
    private let node: Envoy.Core.Node
    /// Between 0 and 1, for the jitter of the next delay.
    private let chance: @Sendable () -> Double
    var resources: [ResourceKey: WatchedResource] = [:]
    /// By the authority of the names; nil for names without one.
    var authorities: [ByteText?: Authority] = [:]
    var streams: [Server: ADSStream] = [:]
    private var keys: [WatcherID: ResourceKey] = [:]
    private var actions: [Action] = []
    private var timer: MonotonicInstant?
    /// How often watchers were notified.
    private(set) var notificationCount = 0
    /// Whether names were added or removed.
    private var isChanged = false
    /// The time of day, as the time since 1970. The owner sets it before an input. Only the status has it.
    var date = Duration.zero

    init(
        _ bootstrap: XDS.Bootstrap, dataErrors: DataErrors = .keep,
        chance: @escaping @Sendable () -> Double
    ) {
        self.bootstrap = bootstrap
        node = bootstrap.node.message
        self.dataErrors = dataErrors
        self.chance = chance
    }
}

// MARK: - Watches

extension ADSClient {
    mutating func watch(
        _ watcher: WatcherID, _ type: ResourceType, _ name: ResourceName,
        at now: MonotonicInstant
    ) {
        precondition(keys[watcher] == nil, "a watcher watches one resource")
        let key = ResourceKey(type: type, name: name)
        let servers: [Server]
        do throws(RPCError) {
            servers = try bootstrap.servers(for: name)
        } catch {
            return actions.append(.notify(watcher, .failed(error.message)))
        }
        keys[watcher] = key
        isChanged = true
        if authorities[name.authority] == nil {
            authorities[name.authority] = Authority(servers: servers)
        }
        if resources[key] == nil { authorities[name.authority]?.resourceCount += 1 }
        let events = resources[key, default: WatchedResource()].add(watcher)
        actions += events.map { .notify(watcher, $0) }
        fallBackIfNeeded(name.authority)
        guard events.isEmpty, let failure = failure(of: name.authority) else { return }
        fail(key, failure, state: nil, keepsValue: true)
    }

    mutating func unwatch(_ watcher: WatcherID) {
        guard let key = keys.removeValue(forKey: watcher) else { return }
        resources[key]?.remove(watcher)
        guard resources[key]?.watchers.isEmpty == true else { return }
        resources[key] = nil
        isChanged = true
        let authority = key.name.authority
        authorities[authority]?.resourceCount -= 1
        if authorities[authority]?.resourceCount == 0 { authorities[authority] = nil }
    }
}

// MARK: - Outputs

extension ADSClient {
    /// What the owner does now, in this order.
    mutating func takeActions(at now: MonotonicInstant) -> [Action] {
        if isChanged { updateStreams(at: now) }
        let resources = resources
        for server in streams.keys.sorted(by: {
            $0.target.utf8.lexicographicallyPrecedes($1.target.utf8)
        }) {
            let requests = streams[server]?.requests(
                at: now, node: node,
                timeLimit: server.features.contains(.timerIsTransientError)
                    ? .seconds(30) : .seconds(15),
                isPending: { resources[$0]?.isAwaited == true })
            actions += (requests ?? []).map { .send(server, $0) }
            if streams[server]?.takeRead() == true { actions.append(.read(server)) }
        }
        let wakeTime = streams.values.compactMap(\.wakeTime).min()
        if wakeTime != timer {
            timer = wakeTime
            actions.append(.setTimer(wakeTime))
        }
        defer { actions = [] }
        return actions
    }

    /// Opens and closes streams, so that each server that is asked has one, and sets their subscriptions.
    private mutating func updateStreams(at now: MonotonicInstant) {
        isChanged = false
        var wanted: [Server: [ResourceType: Set<ResourceName>]] = [:]
        for key in resources.keys {
            for server in authorities[key.name.authority]?.active ?? [] {
                wanted[server, default: [:]][key.type, default: []].insert(key.name)
            }
        }
        for server in streams.keys where wanted[server] == nil {
            streams[server] = nil
            actions.append(.close(server))
        }
        for (server, names) in wanted {
            if streams[server] == nil {
                streams[server] = ADSStream(at: now, chance: chance())
                actions.append(.open(server))
            }
            for type in ResourceType.allCases {
                streams[server]?.subscribe(to: names[type] ?? [], type)
            }
        }
    }

    /// The timer has reported, so that it must be set again.
    mutating func timerEnded() { timer = nil }

    mutating func append(_ action: Action) { actions.append(action) }

    func nextChance() -> Double { chance() }

    /// The error of a resource as calls show it.
    func text(_ key: ResourceKey, _ reason: String) -> String {
        "xds: \(key.type.shortName) resource \(key.name): \(RPCError.shown(reason)) (node \(bootstrap.node.id))"
    }

    /// Informs the watchers of an error.
    ///
    /// - Parameters:
    ///   - state: Nil if the state stays, because the error is one of the connection.
    ///   - version: The version that is refused.
    mutating func fail(
        _ key: ResourceKey, _ reason: String, state: WatchedResource.State?, version: String = "",
        keepsValue: Bool
    ) {
        let text = text(key, reason)
        let change = state.map { state in
            let failure = WatchedResource.Failure(
                reason: RPCError.shown(reason), version: version, time: date)
            return (state: state, failure: failure)
        }
        guard let event = resources[key]?.fail(text, change, keepsValue: keepsValue) else { return }
        notify(key, event)
    }

    mutating func notify(_ key: ResourceKey, _ event: WatchEvent) {
        for watcher in (resources[key]?.watchers ?? []).sorted(by: { $0.number < $1.number }) {
            actions.append(.notify(watcher, event))
            notificationCount += 1
        }
    }

    func context(of server: Server) -> ValidationContext {
        ValidationContext(
            server: server, features: server.features,
            certificateProviders: Set(bootstrap.certificateProviders.keys))
    }
}

// MARK: - Fallback (A71)

extension ADSClient {
    /// Why no server of the authority can be reached; nil if one can, or if that is not known yet.
    private func failure(of authority: ByteText?) -> String? {
        guard let last = authorities[authority]?.active.last else { return nil }
        return streams[last]?.failure
    }

    /// Asks the next server too if the last one cannot be reached, and something is not known yet. The latter does
    /// not matter if the bootstrap says so of the authority (A95).
    mutating func fallBackIfNeeded(_ authority: ByteText?) {
        let needsUnknown =
            authority.flatMap { bootstrap.authorities[$0] }?.fallsBackOnReachabilityOnly != true
        while var state = authorities[authority], failure(of: authority) != nil,
            state.last + 1 < state.servers.count,
            !needsUnknown
                || resources.contains(where: {
                    $0.key.name.authority == authority && $0.value.isUnknown
                })
        {
            state.last += 1
            authorities[authority] = state
            isChanged = true
        }
    }

    /// A server has answered: those that are less preferred are not asked any more.
    mutating func stopFallback(behind server: Server) {
        for (authority, state) in authorities {
            guard let index = state.active.firstIndex(of: server), index < state.last else {
                continue
            }
            authorities[authority]?.last = index
            isChanged = true
        }
    }

    /// Informs the watchers of the authorities whose last server has failed, unless another server can be asked.
    mutating func serverFailed(_ server: Server) {
        for authority in authorities.filter({ $0.value.active.last == server }).map(\.key) {
            fallBackIfNeeded(authority)
            guard let failure = failure(of: authority) else { continue }
            for (key, resource) in resources
            where key.name.authority == authority && !resource.isAbsent {
                fail(key, failure, state: nil, keepsValue: true)
            }
        }
    }
}
