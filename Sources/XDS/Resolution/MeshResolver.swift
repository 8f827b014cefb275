import SwiftletBalancing
import SwiftletCore
import SwiftletTransport
import Synchronization

/// Finds the configuration of a channel at its control plane: it carries out what ``MeshDependencies`` decides, and
/// reports each complete configuration.
///
/// It handles one input at a time, outside of every lock.
final class MeshResolver: Resolver {
    private enum Input: Sendable {
        case start(ResolverResults)
        case events([(ADSClient.WatcherID, WatchEvent)])
        case lookedUp(ClusterHost, Result<[SocketAddress], MeshDependencies.LookUpFailure>)
        case released(ByteText)
        case requestResolution
        case resetBackoff
        case stop
    }

    private struct Use: Sendable {
        weak var object: ClusterUse?
    }

    private struct Work {
        var dependencies: MeshDependencies
        /// Nil before the start and after the end.
        var results: ResolverResults?
        var lookups: [ClusterHost: DNSResolver] = [:]
        /// The uses that the newest selector has, or an earlier one had.
        var uses: [ByteText: Use] = [:]
        /// The clusters of the newest configuration whose settings of TLS are not used.
        var unencrypted: Set<ByteText> = []
    }

    /// Numbers the resolvers of the process, so that no two of their watchers have the same number.
    private static let count = Atomic<UInt64>(0)

    private let client: MeshClient
    private let arguments: ChannelArguments
    private let loop: EventLoop
    /// Says that the settings of TLS of a cluster are not used; nil if they are, or if another encryption is.
    private let noteUnencrypted: (@Sendable (ByteText) -> Void)?
    private let channelID = UInt64.random(in: 0 ... .max)
    private let work: SerialWork<Work, Input>

    /// Throws UNAVAILABLE if the bootstrap does not have the authority of the target.
    ///
    /// - Parameters:
    ///   - authority: The authority of the channel.
    ///   - loop: Runs the timers of lookups.
    ///   - meter: That of the channel; nil if it is not measured.
    init(
        _ target: Target, authority: String, _ arguments: ChannelArguments, on loop: EventLoop,
        bootstrap: XDS.Bootstrap, meter: (any ChannelMeter)? = nil,
        noteUnencrypted: (@Sendable (ByteText) -> Void)? = nil
    ) throws(RPCError) {
        self.noteUnencrypted = noteUnencrypted
        let listener = try bootstrap.listenerName(
            of: PercentCoding.decode(target.path), authority: target.uriAuthority)
        client = try MeshClients.client(of: target.text, bootstrap, meter)
        self.arguments = arguments
        self.loop = loop
        let number = Self.count.wrappingAdd(1, ordering: .relaxed).newValue
        work = SerialWork(
            Work(
                dependencies: MeshDependencies(
                    listener: listener, authority: authority,
                    firstWatcher: number << 32)))
    }

    convenience init(_ channel: ResolverChannel, bootstrap: XDS.Bootstrap) throws(RPCError) {
        let note = channel.noteEncryptionIgnored
        var noteUnencrypted: (@Sendable (ByteText) -> Void)?
        if channel.credentials.encryption == .none {
            noteUnencrypted = { note($0.description) }
        }
        try self.init(
            channel.target, authority: channel.authority, channel.arguments, on: channel.loop,
            bootstrap: bootstrap, meter: channel.meter, noteUnencrypted: noteUnencrypted)
    }

    func start(_ results: ResolverResults) { post(.start(results)) }
    func requestResolution() { post(.requestResolution) }
    func resetBackoff() { post(.resetBackoff) }
    func stop() { post(.stop) }

    func receive(_ events: [(ADSClient.WatcherID, WatchEvent)]) { post(.events(events)) }
}

// MARK: - Inputs

extension MeshResolver {
    private func post(_ input: Input) {
        work.post(input) { handle($0, &$1) }
    }

    private func handle(_ input: Input, _ work: inout Work) {
        switch input {
        case .start(let results): work.results = results
        case .events(let events):
            for (watcher, event) in events { work.dependencies.received(watcher, event) }
        case .lookedUp(let host, let result): work.dependencies.lookedUp(host, result)
        case .released(let cluster): work.dependencies.release(cluster)
        case .requestResolution: for lookup in work.lookups.values { lookup.requestResolution() }
        case .resetBackoff: for lookup in work.lookups.values { lookup.resetBackoff() }
        case .stop:
            work.results = nil
            work.dependencies.close()
        }
        carryOut(&work)
    }
}

// MARK: - Actions

extension MeshResolver {
    private func carryOut(_ work: inout Work) {
        // A selector that is made uses clusters, which may lead to other actions.
        while true {
            let actions = work.dependencies.takeActions()
            if actions.isEmpty { return }
            var change = MeshClient.WatchChange()
            for action in actions { carryOut(action, &work, &change) }
            // At once, so that a request has all names that are new.
            client.change(change, for: self)
        }
    }

    private func carryOut(
        _ action: MeshDependencies.Action, _ work: inout Work,
        _ change: inout MeshClient.WatchChange
    ) {
        switch action {
        case .watch(let watcher, let key): change.begun.append((watcher, key))
        case .unwatch(let watcher): change.ended.append(watcher)
        case .lookUp(let host): work.lookups[host] = lookUp(host)
        case .stopLookUp(let host): work.lookups.removeValue(forKey: host)?.stop()
        case .use(let configuration): report(configuration, &work)
        case .fail(let text):
            // The selector stays: a call that waits for ready is sent when there is a configuration again.
            work.results?.report(ResolverResult(endpoints: .failure(.noConnection(text))))
        }
    }

    private func report(_ configuration: MeshConfiguration, _ work: inout Work) {
        guard let results = work.results else { return }
        if let noteUnencrypted {
            let clusters = configuration.clustersWithTLS
            for cluster in clusters.subtracting(work.unencrypted).inOrder() {
                noteUnencrypted(cluster)
            }
            work.unencrypted = clusters
        }
        var uses: [ByteText: ClusterUse] = [:]
        for name in configuration.virtualHost.clusters {
            uses[name] = use(of: name, &work)
        }
        work.uses = work.uses.filter { $0.value.object != nil }
        let policy = ClusterManager(
            clusters: configuration.clusters,
            tree: TreeContext(
                node: client.bootstrap.node.id, providers: client.bootstrap.certificateProviders,
                loads: client.loads,
                rewritesAuthority: configuration.virtualHost.rewritesAuthority,
                hasSessions: configuration.listener.filters.contains { $0.config.isSession }))
        var result = ResolverResult(
            endpoints: .success([]),
            serviceConfig: .success(ServiceConfig(balancing: policy)))
        result.selector = MeshSelector(configuration, uses, channelID: channelID)
        results.report(result)
    }

    private func use(of cluster: ByteText, _ work: inout Work) -> ClusterUse {
        if let use = work.uses[cluster]?.object { return use }
        // The last use may end on a thread of the program, which must not handle what is posted meanwhile.
        let use = ClusterUse(cluster) { [weak self] cluster in
            guard let self else { return }
            loop.run { self.post(.released(cluster)) }
        }
        work.uses[cluster] = Use(object: use)
        work.dependencies.retain(cluster)
        return use
    }

    private func lookUp(_ host: ClusterHost) -> DNSResolver {
        let resolver = DNSResolver(
            host: host.name.string, port: host.port, arguments: arguments, loop: loop)
        resolver.start(
            ResolverResults { [weak self] result in
                let addresses = result.endpoints
                    .map { $0.flatMap(\.addresses).map(\.socketAddress) }
                    .mapError { error in
                        MeshDependencies.LookUpFailure(
                            text: "xds: the host '\(host.name)' is not found: \(error.message)")
                    }
                self?.post(.lookedUp(host, addresses))
            })
        return resolver
    }
}
