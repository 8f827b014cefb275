import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Synchronization

@testable import SwiftletXDS

/// A channel without sockets in virtual time: the client of its control plane, its resolver, its selector and its
/// tree. It does with these values what their owners do, in the same order.
struct VirtualMesh {
    typealias Server = XDS.Bootstrap.Server

    /// The clusters that selectors and calls have released since the last look.
    private final class Releases: Sendable {
        private let names = Mutex<[ByteText]>([])

        func add(_ name: ByteText) { names.withLock { $0.append(name) } }

        func take() -> [ByteText] {
            names.withLock { names in
                defer { names = [] }
                return names
            }
        }
    }

    private struct Use {
        weak var object: ClusterUse?
    }

    /// A request that was not answered yet.
    struct Request {
        let server: Int
        let message: Envoy.Discovery.DiscoveryRequest
        let type: ResourceType
    }

    private(set) var client: ADSClient
    private(set) var dependencies: MeshDependencies
    private(set) var tree: VirtualTree
    private(set) var selector: MeshSelector?
    /// The newest configuration; nil if the newest report is that there is none.
    private(set) var configuration: MeshConfiguration?
    private(set) var now = MonotonicInstant(nanoseconds: 0)
    private(set) var timer: MonotonicInstant?
    private(set) var lookUps: Set<ClusterHost> = []
    /// The newest request of each type to each server.
    private(set) var requests: [Request] = []
    private(set) var requestCount = 0
    private(set) var events: [WatchEvent] = []
    /// How often a configuration, or the lack of one, was reported.
    private(set) var reportCount = 0
    let servers: [Server]

    private let context: TreeContext
    private let seed: UInt64
    private var uses: [ByteText: Use] = [:]
    private let releases = Releases()
    private var changes: [MeshClient.WatchChange] = []
    private var isClosed = false

    init(_ bootstrap: XDS.Bootstrap, seed: UInt64) throws(RPCError) {
        servers = bootstrap.servers
        self.seed = seed
        client = ADSClient(bootstrap, chance: { 0.5 })
        let listener = try bootstrap.listenerName(of: "svc", authority: "")
        dependencies = MeshDependencies(listener: listener, authority: "svc")
        tree = VirtualTree(seed: seed)
        let loop = try CompletionQueue.shared.loop
        context = TreeContext(
            node: bootstrap.node.id, providers: bootstrap.certificateProviders,
            loads: LoadReports(node: .init(), loop) { _ throws(RPCError) in
                throw .noConnection("there are no sockets")
            }, rewritesAuthority: false, hasSessions: false)
        resolve()
        settle()
    }

    var time: Duration { .nanoseconds(now.nanoseconds) }
}

// MARK: - Inputs

extension VirtualMesh {
    mutating func open(_ server: Int) {
        run { [servers] client, _ in client.streamOpened(servers[server]) }
    }

    mutating func end(_ server: Int, _ cause: String = "reset") {
        requests.removeAll { $0.server == server }
        run { [servers] client, now in client.streamClosed(servers[server], cause, at: now) }
    }

    mutating func receive(_ bytes: [UInt8], from server: Int) {
        run { [servers] client, now in client.received(bytes, from: servers[server], at: now) }
        client.watchersFinished(servers[server])
        settle()
    }

    mutating func lookedUp(
        _ host: ClusterHost, _ result: Result<[SocketAddress], MeshDependencies.LookUpFailure>
    ) {
        dependencies.lookedUp(host, result)
        resolve()
        settle()
    }

    /// Moves the time, and wakes the client and the balancers when they want it.
    mutating func advance(by duration: Duration) {
        let end = now + duration
        while let next = nextTime, next <= end {
            now = max(now, next)
            if let timer, timer <= now {
                self.timer = nil
                run { client, now in client.timerFired(at: now) }
            }
            if tree.wakeTimes.contains(where: { $0 <= time }) { tree.timeHasCome(at: time) }
            settle()
        }
        now = end
    }

    private var nextTime: MonotonicInstant? {
        let wakeTime = tree.wakeTimes.min().map { MonotonicInstant(nanoseconds: 0) + $0 }
        return [timer, wakeTime].compactMap { $0 }.min()
    }

    mutating func change(_ subchannel: Subchannel, to state: ConnectivityState) {
        tree.change(subchannel, to: state, at: time)
        settle()
    }

    mutating func connect(_ subchannel: Subchannel) { tree.connect(subchannel, at: time) }

    mutating func exitIdle() { tree.exitIdle(at: time) }

    /// As a channel that is closed: the selector, the tree and the watches end. Calls may still use clusters.
    mutating func close() {
        isClosed = true
        selector = nil
        tree.close(at: time)
        dependencies.close()
        resolve()
        settle()
    }

    /// Tells the resolver what calls have released.
    mutating func settle() {
        repeat {
            for name in releases.take() { dependencies.release(name) }
            resolve()
            while !changes.isEmpty {
                let change = changes.removeFirst()
                run { client, now in
                    for (watcher, key) in change.begun {
                        client.watch(watcher, key.type, key.name, at: now)
                    }
                    for watcher in change.ended { client.unwatch(watcher) }
                }
            }
            carryOut()
            tree.wakeIfAsked(at: time)
        } while !changes.isEmpty
    }
}

// MARK: - Actions

extension VirtualMesh {
    private mutating func run(_ input: (inout ADSClient, MonotonicInstant) -> Void) {
        input(&client, now)
        carryOut()
    }

    private mutating func carryOut() {
        while true {
            let actions = client.takeActions(at: now)
            if actions.isEmpty { return }
            for action in actions {
                switch action {
                case .open, .read, .count: break
                case .close(let server):
                    requests.removeAll { [servers] in servers[$0.server] == server }
                case .send(let server, let message):
                    note(message, to: server)
                    client.requestSent(server)
                case .notify(let watcher, let event):
                    events.append(event)
                    dependencies.received(watcher, event)
                case .setTimer(let time): timer = time
                }
            }
            resolve()
        }
    }

    private mutating func note(_ message: Envoy.Discovery.DiscoveryRequest, to server: Server) {
        requestCount += 1
        guard let index = servers.firstIndex(of: server),
            let type = ResourceType.allCases.first(where: { $0.typeURL == message.typeURL })
        else { return }
        requests.removeAll { $0.server == index && $0.type == type }
        requests.append(Request(server: index, message: message, type: type))
    }

    private mutating func resolve() {
        while true {
            let actions = dependencies.takeActions()
            if actions.isEmpty { return }
            var change = MeshClient.WatchChange()
            for action in actions {
                switch action {
                case .watch(let watcher, let key): change.begun.append((watcher, key))
                case .unwatch(let watcher): change.ended.append(watcher)
                case .lookUp(let host): lookUps.insert(host)
                case .stopLookUp(let host): lookUps.remove(host)
                case .use(let configuration): use(configuration)
                case .fail(let text):
                    reportCount += 1
                    configuration = nil
                    if !isClosed { tree.fail(.noConnection(text), at: time) }
                }
            }
            changes.append(change)
        }
    }

    private mutating func use(_ configuration: MeshConfiguration) {
        guard !isClosed else { return }
        reportCount += 1
        var uses: [ByteText: ClusterUse] = [:]
        for name in configuration.virtualHost.clusters {
            if let use = self.uses[name]?.object {
                uses[name] = use
                continue
            }
            let use = ClusterUse(name) { [releases] in releases.add($0) }
            self.uses[name] = Use(object: use)
            uses[name] = use
            dependencies.retain(name)
        }
        // The tree first, then the selector (A31). What the balancers refuse, they have reported.
        try? tree.update(
            to: ClusterManager(clusters: configuration.clusters, tree: context), at: time)
        selector = MeshSelector(
            configuration, uses, channelID: 1, seed: seed &+ UInt64(reportCount))
        self.configuration = configuration
    }

    /// The clusters that something still uses.
    var usedClusters: [ByteText] { uses.filter { $0.value.object != nil }.map(\.key) }
}
