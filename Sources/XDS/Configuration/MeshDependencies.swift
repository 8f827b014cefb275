import SwiftletTransport

/// Watches the listener of a target and all that it leads to, as a value: routes, clusters, endpoints and host names. It
/// reports a configuration only when every part of it is known (A74).
///
/// After any input, the owner carries out what ``takeActions()`` returns.
struct MeshDependencies: Sendable {
    typealias WatcherID = ADSClient.WatcherID

    enum Action: Hashable, Sendable {
        case watch(WatcherID, ResourceKey)
        case unwatch(WatcherID)
        /// Looks a host name up, and again whenever it may have changed. Reports ``MeshDependencies/lookedUp(_:_:)``.
        case lookUp(ClusterHost)
        case stopLookUp(ClusterHost)
        case use(MeshConfiguration)
        /// There is no configuration. The text is the message of the calls.
        case fail(String)
    }

    /// The state of something that is watched.
    struct Known<Value: Hashable & Sendable>: Hashable, Sendable {
        /// The last value that can be used.
        var value: Value?
        /// Why there is none, or why it is not the newest.
        var note: String?

        /// Whether anything is known yet.
        var isSettled: Bool { value != nil || note != nil }
    }

    private struct Watch: Sendable {
        let id: WatcherID
        var known = Known<Resource>()
    }

    private let listener: ResourceKey
    /// The authority of the channel, which chooses the virtual host.
    private let authority: String
    private var watches: [ResourceKey: Watch] = [:]
    private var keys: [WatcherID: ResourceKey] = [:]
    private var hosts: [ClusterHost: Known<[SocketAddress]>] = [:]
    /// How many selectors and calls use a cluster.
    private var users: [ByteText: Int] = [:]
    private var nextNumber: UInt64
    private var actions: [Action] = []
    /// What was reported last: a configuration or a failure.
    private var last: Action?
    private var isClosed = false
    /// Whether an input has come since the last walk. All events of one response cost one walk.
    private var isChanged = true

    /// - Parameter firstWatcher: The number of the first watcher. The next ones follow.
    init(listener: ResourceName, authority: String, firstWatcher: UInt64 = 0) {
        nextNumber = firstWatcher
        self.listener = ResourceKey(type: .listener, name: listener)
        self.authority = authority
    }
}

// MARK: - Inputs

extension MeshDependencies {
    mutating func received(_ watcher: WatcherID, _ event: WatchEvent) {
        // An event of a watch that has just ended may still arrive.
        guard let key = keys[watcher] else { return }
        switch event {
        case .resource(let resource): watches[key]?.known = Known(value: resource)
        case .failed(let text): watches[key]?.known = Known(note: text)
        case .stale(let text): watches[key]?.known.note = text
        case .recovered: watches[key]?.known.note = nil
        }
        isChanged = true
    }

    /// - Parameter result: The addresses, or why they are not known.
    mutating func lookedUp(_ host: ClusterHost, _ result: Result<[SocketAddress], LookUpFailure>) {
        guard hosts[host] != nil else { return }
        switch result {
        case .success(let addresses): hosts[host] = Known(value: addresses)
        case .failure(let failure): hosts[host]?.note = failure.text
        }
        isChanged = true
    }

    struct LookUpFailure: Error, Hashable { let text: String }

    /// A selector or a call begins to use a cluster, which stays in the configuration until it is released.
    mutating func retain(_ cluster: ByteText) {
        users[cluster, default: 0] += 1
        isChanged = true
    }

    mutating func release(_ cluster: ByteText) {
        guard let count = users[cluster] else { return }
        users[cluster] = count > 1 ? count - 1 : nil
        if count == 1 { isChanged = true }
    }

    /// Ends all watches.
    mutating func close() {
        isClosed = true
        isChanged = true
    }

    mutating func takeActions() -> [Action] {
        if isChanged {
            isChanged = false
            update()
        }
        defer { actions = [] }
        return actions
    }
}

// MARK: - What is needed

extension MeshDependencies {
    /// Begins and ends watches, so that what is needed is watched, and reports a new configuration when it is complete.
    private mutating func update() {
        var survey = Survey()
        let result = isClosed ? nil : survey.result(self)
        for key in watches.keys.filter({ !survey.keys.contains($0) }) {
            guard let watch = watches.removeValue(forKey: key) else { continue }
            keys[watch.id] = nil
            actions.append(.unwatch(watch.id))
        }
        for host in hosts.keys.filter({ !survey.hosts.contains($0) }) {
            hosts[host] = nil
            actions.append(.stopLookUp(host))
        }
        for key in survey.orderedKeys where watches[key] == nil {
            let id = WatcherID(number: nextNumber)
            nextNumber += 1
            watches[key] = Watch(id: id)
            keys[id] = key
            actions.append(.watch(id, key))
        }
        for host in survey.hosts where hosts[host] == nil {
            hosts[host] = Known()
            actions.append(.lookUp(host))
        }
        if survey.isComplete, let result, result != last {
            last = result
            actions.append(result)
        }
    }

    /// Walks from the listener to everything that it leads to.
    fileprivate struct Survey {
        var keys: Set<ResourceKey> = []
        /// In the order in which they were found.
        var orderedKeys: [ResourceKey] = []
        var hosts: Set<ClusterHost> = []
        /// Whether everything that was found is known.
        var isComplete = true
        private var countBelowAggregates = 0
        /// Why the listener and the routes are not the newest ones.
        private var notes: [String?] = []

        /// The configuration or the failure. It counts only if the survey is complete.
        mutating func result(_ state: MeshDependencies) -> Action? {
            let result = routes(state)
            var clusters: [ByteText: ClusterState] = [:]
            let named = (try? result.get())?.virtualHost.clusters ?? []
            for name in named where clusters[name] == nil {
                clusters[name] = cluster(name, state)
            }
            for name in state.users.keys.inOrder() where clusters[name] == nil {
                let kept = cluster(name, state)
                clusters[name] = if case .failed(let text) = kept { .removed(text) } else { kept }
            }
            switch result {
            case .failure(let failure): return failure.text.map { .fail($0) }
            case .success(let found):
                return .use(
                    MeshConfiguration(
                        listener: found.listener, virtualHost: found.virtualHost,
                        clusters: clusters))
            }
        }

        /// Nil text: not known yet.
        private struct Missing: Error { let text: String? }

        private mutating func routes(
            _ state: MeshDependencies
        ) -> Result<(listener: Listener, virtualHost: VirtualHost), Missing> {
            let known = find(state.listener, state)
            guard case .listener(let listener)? = known.value else {
                return .failure(Missing(text: known.note))
            }
            notes.append(known.note)
            let routes: RouteConfiguration
            switch listener.routes {
            case .ofServer:
                return .failure(
                    Missing(
                        text: "xds: LDS resource \(state.listener.name): is a listener of servers"))
            case .inline(let configuration): routes = configuration
            case .named(let name):
                let known = find(ResourceKey(type: .routeConfiguration, name: name), state)
                guard case .routeConfiguration(let configuration)? = known.value else {
                    return .failure(Missing(text: known.note))
                }
                notes.append(known.note)
                routes = configuration
            }
            guard let host = routes.virtualHost(for: state.authority) else {
                return .failure(
                    Missing(
                        text:
                            "xds: the routes have no virtual host for '\(ByteText(state.authority))'"
                    ))
            }
            return .success((listener, host))
        }

        /// Notes that a resource is needed, and returns what is known of it.
        fileprivate mutating func find(_ key: ResourceKey, _ state: MeshDependencies) -> Known<
            Resource
        > {
            if keys.insert(key).inserted { orderedKeys.append(key) }
            let known = state.watches[key]?.known ?? Known()
            if !known.isSettled { isComplete = false }
            return known
        }
    }
}

// MARK: - Clusters

extension MeshDependencies.Survey {
    /// How many clusters may be inside each other, with the one that has endpoints (A37).
    private static let maxDepth = 16
    /// How many clusters may be below the aggregate clusters of the routes. One below several of them counts several
    /// times: a thousand aggregates of the same thousand clusters would need the memory of a million.
    private static let maxCountBelowAggregates = 100_000

    /// What is found below one cluster of a route.
    private struct Walk {
        /// Aggregates can refer to one cluster several times, and to themselves. Each is walked once.
        var seen: Set<ByteText> = []
        var leaves: [LeafCluster] = []
        /// Why a cluster is not among the leaves.
        var problem: String?
        /// Which limit was exceeded.
        var excess: String?
    }

    fileprivate mutating func cluster(
        _ name: ByteText, _ state: MeshDependencies
    ) -> ClusterState {
        var walk = Walk()
        guard let cluster = add(name, depth: 0, &walk, state) else {
            return .failed(walk.problem ?? "")
        }
        if let excess = walk.excess { return .failed("xds: CDS resource \(name): \(excess)") }
        guard !walk.leaves.isEmpty else {
            return .failed(
                walk.problem ?? "xds: CDS resource \(name): no cluster below it has endpoints")
        }
        return .usable(ClusterConfiguration(cluster: cluster, leaves: walk.leaves))
    }

    /// Adds the leaves of a cluster. Calls itself for aggregate clusters, whose depth is limited. Returns the cluster;
    /// nil if there is none.
    @discardableResult
    private mutating func add(
        _ name: ByteText, depth: Int, _ walk: inout Walk, _ state: MeshDependencies
    ) -> Cluster? {
        guard depth < Self.maxDepth else {
            walk.excess = "more than \(Self.maxDepth) clusters are inside each other"
            return nil
        }
        guard walk.seen.insert(name).inserted else { return nil }
        guard let resourceName = ResourceName(name.string, of: .cluster) else {
            walk.problem = "xds: '\(name)' is not the name of a cluster"
            return nil
        }
        let known = find(ResourceKey(type: .cluster, name: resourceName), state)
        guard case .cluster(let cluster)? = known.value else {
            walk.problem = known.note
            return nil
        }
        switch cluster.discovery {
        case .aggregate(let names):
            let count = countBelowAggregates + names.count
            guard count <= Self.maxCountBelowAggregates else {
                walk.excess =
                    "more than \(Self.maxCountBelowAggregates) clusters are below the aggregate clusters of the routes"
                break
            }
            countBelowAggregates = count
            for name in names { add(name.text, depth: depth + 1, &walk, state) }
        case .endpoints(let name):
            let found = find(ResourceKey(type: .endpoints, name: name), state)
            var endpoints: Endpoints?
            if case .endpoints(let value)? = found.value { endpoints = value }
            walk.leaves.append(
                LeafCluster(
                    name: resourceName.text, cluster: cluster, endpoints: endpoints,
                    note: note(known.note, found.note)))
        case .dns(let name, let port):
            let host = ClusterHost(name: name, port: port)
            hosts.insert(host)
            let found = state.hosts[host] ?? MeshDependencies.Known()
            if !found.isSettled { isComplete = false }
            let endpoints = found.value.flatMap { host.endpoints(at: $0) }
            let problem = endpoints == nil ? "xds: '\(name)' has no address" : nil
            walk.leaves.append(
                LeafCluster(
                    name: resourceName.text, cluster: cluster, endpoints: endpoints,
                    note: note(known.note, found.note ?? problem)))
        }
        return cluster
    }

    /// Why what leads to a cluster and to its endpoints is not known, or not the newest (A88).
    private func note(_ cluster: String?, _ endpoints: String?) -> String? {
        let all = (notes + [cluster, endpoints]).compactMap { $0 }
        return all.isEmpty ? nil : all.joined(separator: "; ")
    }
}
