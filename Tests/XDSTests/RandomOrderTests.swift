import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown
import TestSupport
import Testing

@testable import SwiftletXDS

/// The client of the control plane, the resolver, the selector and the tree together, in virtual time and without
/// sockets.
@Suite("A channel in any order of events")
struct RandomOrderTests {
    @Test(
        "ends each call once, uses no half of a configuration, and leaves nothing",
        arguments: 0..<60)
    func anyOrder(seed: UInt64) throws {
        var run = try RandomMesh(seed)
        for _ in 0..<200 { try run.step() }
        try run.recover()
        try run.close()
    }
}

/// One run, which a seed repeats if `SWIFT_DETERMINISTIC_HASHING` is set: a control plane whose resources change, servers that come and go, and calls.
private struct RandomMesh {
    private struct Call {
        enum State: Equatable {
            case waiting
            case running(Subchannel)
        }

        let info: PickInfo
        /// What keeps the cluster, until the call is committed or over.
        var kept: (any KeptCluster)?
        let cluster: ByteText
        let waitsForReady: Bool
        var state = State.waiting
        var trackers = CallTrackers()
    }

    /// The clusters. Their running calls are counted for the whole process, so each run has its own.
    private let names: [String]
    private let chance: Chance
    private let seed: UInt64
    private var mesh: VirtualMesh
    /// What the control plane has now; no entry for a resource that it does not have.
    private var resources: [ResourceType: [String: any Message]] = [:]
    private var isBad: [ResourceType: Set<String>] = [:]
    private var version = 0
    private var calls: [Int: Call] = [:]
    private var begunCount = 0
    private var endedCount = 0
    /// The subchannels that cannot connect.
    private var areServersDown = false

    init(_ seed: UInt64) throws {
        chance = Chance(seed)
        self.seed = seed
        names = ["a", "b", "c"].map { "order-\(seed)-\($0)" }
        let servers = ["s0", "s1"].map {
            "{\"server_uri\": \"\($0)\", \"channel_creds\": [{\"type\": \"insecure\"}]}"
        }
        mesh = try VirtualMesh(
            XDS.Bootstrap(json: "{\"xds_servers\": [\(servers.joined(separator: ","))]}"),
            seed: seed)
        for name in names {
            set(.cluster, name)
            set(.endpoints, name)
        }
        set(.listener, "svc")
        set(.routeConfiguration, "routes")
    }

    private func below(_ bound: Int) -> Int { Int(chance.next() % UInt64(bound)) }
    private func some<Element>(_ elements: [Element]) -> Element? {
        elements.isEmpty ? nil : elements[below(elements.count)]
    }
}

// MARK: - Events

extension RandomMesh {
    mutating func step() throws {
        switch below(20) {
        case 0, 1: change()
        case 2, 3, 4: respond(from: below(2), to: some(ResourceType.allCases))
        case 5: mesh.open(below(2))
        case 6: if below(3) == 0 { mesh.end(below(2)) }
        case 7: mesh.advance(by: .milliseconds(below(8_000)))
        case 8: if below(20) == 0 { mesh.advance(by: .seconds(200)) }
        case 9, 10, 11: connect()
        case 12: disconnect()
        case 13: if below(10) == 0 { areServersDown.toggle() }
        case 14, 15, 16: try begin()
        case 17: commit()
        case 18: lookUp()
        default: end()
        }
        try pick()
        try check()
    }

    /// The control plane has another resource, or none, or a wrong one.
    private mutating func change() {
        let type = some(ResourceType.allCases) ?? .cluster
        let name =
            switch type {
            case .listener: "svc"
            case .routeConfiguration: "routes"
            case .cluster, .endpoints: some(names) ?? ""
            }
        isBad[type]?.remove(name)
        switch below(8) {
        case 0: resources[type]?[name] = nil
        case 1: isBad[type, default: []].insert(name)
        default: set(type, name)
        }
    }

    private mutating func set(_ type: ResourceType, _ name: String) {
        version += 1
        resources[type, default: [:]][name] = message(type, name)
    }

    private func message(_ type: ResourceType, _ name: String) -> any Message {
        switch type {
        case .listener:
            return Sample.listener(name) { manager in
                let limit = Google.Protobuf.Duration(seconds: Int64(below(3)))
                manager.commonHTTPProtocolOptions = .with { $0.maxStreamDuration = limit }
            }
        case .routeConfiguration:
            let chosen = names.filter { _ in below(2) == 0 } + [names[below(3)]]
            return Sample.routes(
                name,
                [
                    Sample.action { action in
                        action.clusterSpecifier = .weightedClusters(
                            .with { message in
                                message.clusters = chosen.map { name in
                                    .with { ($0.name, $0.weight) = (name, .init(1)) }
                                }
                            })
                    }
                ])
        case .cluster: return cluster(name)
        case .endpoints: return endpoints(name)
        }
    }

    private func cluster(_ name: String) -> Envoy.Clusters.Cluster {
        Sample.cluster(name) { cluster in
            // The last one is above the others now and then.
            if name == names[2], below(2) == 0 {
                cluster.clusterDiscoveryType = .clusterType(
                    .with {
                        $0.typedConfig = Sample.any(
                            Envoy.Aggregate.ClusterConfig.with {
                                $0.clusters = [names[0], names[1]]
                            })
                    })
            }
            if name != names[2], below(4) == 0 {
                cluster.clusterDiscoveryType = .type(.logicalDns)
                let host = "d\(names.firstIndex(of: name) ?? 0)"
                cluster.loadAssignment = Sample.endpoints(
                    name, [Sample.locality("", [Sample.endpoint(host)])])
            }
            if below(3) == 0 {
                cluster.lrsServer = .with { $0.configSourceSpecifier = .selfSource(.init()) }
            }
            cluster.lbPolicy = below(2) == 0 ? .roundRobin : .ringHash
            cluster.lbConfig = .ringHashLBConfig(.with { $0.minimumRingSize = .init(8) })
            if below(3) == 0 {
                cluster.outlierDetection = .with { $0.interval = .init(seconds: 1) }
            }
            if below(4) == 0 {
                cluster.circuitBreakers = .with {
                    $0.thresholds = [.with { $0.maxRequests = .init(3) }]
                }
            }
        }
    }

    /// The second number of an address is the cluster.
    private func endpoints(_ name: String) -> Envoy.Endpoints.ClusterLoadAssignment {
        let number = names.firstIndex(of: name) ?? 0
        let priorities = 1 + below(2)
        return Sample.endpoints(
            name,
            (0..<priorities).map { priority in
                let hosts = (0..<below(3)).map { "10.\(number).\(priority).\($0 + below(2) * 100)" }
                return Sample.locality(
                    "z\(priority)", hosts.map { Sample.endpoint($0) }, priority: UInt32(priority))
            })
    }

    /// Sends what was asked for, as it is now.
    private mutating func respond(from server: Int, to type: ResourceType?) {
        guard let request = mesh.requests.last(where: { $0.server == server && $0.type == type })
        else { return }
        version += 1
        let type = request.type
        let response = Envoy.Discovery.DiscoveryResponse.with { response in
            response.versionInfo = "\(version)"
            response.nonce = "n\(version)"
            response.typeURL = type.typeURL
            response.resources = request.message.resourceNames.compactMap { name in
                guard let message = resources[type]?[name] else { return nil }
                var any = Sample.any(message)
                if isBad[type]?.contains(name) == true { any.value = [0x08] }
                return Sample.any(
                    Envoy.Discovery.Resource.with { ($0.name, $0.resource) = (name, any) })
            }
        }
        mesh.receive(response.encoded(), from: server)
    }

    /// The name of a host has the number of its cluster, and so have its addresses.
    private mutating func lookUp(mayFail: Bool = true) {
        let hosts = mesh.lookUps.sorted { $0.name < $1.name }
        guard let host = some(hosts), let number = host.name.string.dropFirst().first
        else { return }
        if mayFail, below(4) == 0 {
            mesh.lookedUp(host, .failure(.init(text: "no such host")))
        } else {
            let addresses = (0...below(2)).compactMap {
                SocketAddress(host: "10.\(number).9.\($0)", port: host.port)
            }
            mesh.lookedUp(host, .success(addresses))
        }
    }

    private mutating func connect() {
        let connecting = mesh.tree.states.filter { $0.value == .connecting }.keys
        guard let subchannel = some(connecting.sorted { $0.id < $1.id }) else { return }
        mesh.change(subchannel, to: areServersDown || below(5) == 0 ? .transientFailure : .ready)
    }

    private mutating func disconnect() {
        let live = mesh.tree.states.keys.sorted { $0.id < $1.id }
        guard let subchannel = some(live) else { return }
        switch mesh.tree.states[subchannel] {
        case .ready?: mesh.change(subchannel, to: .idle)
        case .transientFailure?: mesh.change(subchannel, to: .connecting)
        default: break
        }
    }
}

// MARK: - Calls

extension RandomMesh {
    private mutating func begin() throws {
        guard let selector = mesh.selector else { return }
        begunCount += 1
        let selection: CallSelection
        do throws(RPCError) {
            selection = try selector.select(for: "/s/M", Metadata())
        } catch {
            endedCount += 1
            #expect(error.code == .unavailable, "seed \(seed): \(error.message)")
            return
        }
        let attributes = selection.rules?.attributes
        let place = try #require(attributes as? CallPlace)
        let info = PickInfo(
            path: "/s/M", requestHash: selection.requestHash, attributes: attributes)
        calls[begunCount] = Call(
            info: info, kept: selection.cluster, cluster: place.cluster,
            waitsForReady: below(2) == 0)
    }

    /// Chooses servers for the calls that wait, as a channel does when it has a new picker.
    private mutating func pick() throws {
        for (id, call) in calls.sorted(by: { $0.key < $1.key }) where call.state == .waiting {
            switch mesh.tree.picker.pick(call.info) {
            case .subchannel(let subchannel, let trackers):
                guard mesh.tree.states[subchannel] == .ready else {
                    var outcome = CallOutcome(code: .unavailable)
                    outcome.wasSent = false
                    trackers.callEnded(outcome)
                    continue
                }
                try check(subchannel, of: call)
                calls[id]?.state = .running(subchannel)
                calls[id]?.trackers = trackers
            case .queue(let subchannel?): mesh.connect(subchannel)
            case .queue(nil): if mesh.tree.connectivity == .idle { mesh.exitIdle() }
            case .fail(let error):
                // INTERNAL would be a call whose cluster is in no configuration.
                #expect(error.code == .unavailable, "seed \(seed): \(error.message)")
                if !call.waitsForReady { finish(id) }
            case .drop(let error):
                #expect(error.code == .unavailable, "seed \(seed): \(error.message)")
                finish(id)
            }
        }
        mesh.settle()
    }

    /// The server is one that the control plane has named for the cluster of the call's route.
    private func check(_ subchannel: Subchannel, of call: Call) throws {
        let address = "\(try #require(mesh.tree.endpoints[subchannel]?.addresses.first))"
        guard case .usable(let used)? = mesh.configuration?.clusters[call.cluster] else {
            Issue.record("seed \(seed): a call is sent to a cluster that cannot be used")
            return
        }
        let leaves = used.leaves.map(\.name.string)
        let number = Int(address.split(separator: ".")[1]) ?? -1
        #expect(
            leaves.contains(names[number]),
            "seed \(seed): a call to \(call.cluster) is sent to \(address)")
    }

    private mutating func commit() {
        guard let id = some(calls.keys.sorted()) else { return }
        if case .running? = calls[id]?.state { calls[id]?.kept = nil }
    }

    private mutating func end() {
        guard let id = some(calls.keys.sorted()), calls[id]?.state != .waiting else { return }
        finish(id, below(4) == 0 ? .unavailable : .ok)
    }

    private mutating func finish(_ id: Int, _ code: StatusCode = .unavailable) {
        guard var call = calls.removeValue(forKey: id) else { return }
        endedCount += 1
        call.trackers.callEnded(CallOutcome(code: code))
        call.kept = nil
        mesh.settle()
    }
}

// MARK: - Invariants

extension RandomMesh {
    private func check() throws {
        #expect(begunCount == endedCount + calls.count, "seed \(seed)")
        guard let configuration = mesh.configuration else { return }
        // A route never leads to a cluster that is not in its configuration.
        for name in configuration.virtualHost.clusters {
            #expect(configuration.clusters[name] != nil, "seed \(seed): \(name)")
        }
        // A cluster that a call may still be sent to is there.
        for call in calls.values where call.state == .waiting {
            #expect(configuration.clusters[call.cluster] != nil, "seed \(seed): \(call.cluster)")
        }
    }

    /// All is well again: then each call that waits is sent or ends.
    mutating func recover() throws {
        areServersDown = false
        isBad = [:]
        for name in names {
            set(.cluster, name)
            resources[.endpoints, default: [:]][name] = Sample.endpoints(
                name,
                [
                    Sample.locality(
                        "z0", [Sample.endpoint("10.\(names.firstIndex(of: name) ?? 0).0.9")])
                ])
        }
        set(.listener, "svc")
        set(.routeConfiguration, "routes")
        for _ in 0..<20 {
            mesh.open(0)
            mesh.open(1)
            for type in ResourceType.allCases {
                for server in 0..<2 { respond(from: server, to: type) }
            }
            for _ in mesh.lookUps { lookUp(mayFail: false) }
            for (subchannel, state) in mesh.tree.states where state != .ready {
                if state == .idle { mesh.connect(subchannel) }
                if state == .transientFailure { mesh.change(subchannel, to: .connecting) }
                mesh.change(subchannel, to: .ready)
            }
            try pick()
            for id in calls.keys.sorted() where calls[id]?.state != .waiting { finish(id, .ok) }
            try check()
            mesh.advance(by: .seconds(20))
        }
        #expect(calls.isEmpty, "seed \(seed): \(calls.count) calls have not ended")
        #expect(mesh.selector != nil, "seed \(seed)")
        // Only the routes use clusters now.
        let routed = mesh.configuration?.virtualHost.clusters ?? []
        #expect(Set(mesh.usedClusters) == Set(routed), "seed \(seed)")
        #expect(mesh.configuration.map { Set($0.clusters.keys) } == Set(routed), "seed \(seed)")
    }

    mutating func close() throws {
        mesh.close()
        #expect(mesh.client.resources.isEmpty && mesh.client.streams.isEmpty, "seed \(seed)")
        #expect(mesh.client.authorities.isEmpty && mesh.timer == nil, "seed \(seed)")
        #expect(mesh.tree.states.isEmpty && mesh.lookUps.isEmpty, "seed \(seed)")
        #expect(mesh.usedClusters.isEmpty, "seed \(seed)")
        for name in names {
            // The calls of the process to the cluster: none runs, so that one may begin.
            let count = CallCount.shared(CallCount.Key(Sample.leaf(name, reportsTo: nil)))
            #expect(count.begin(upTo: 1), "seed \(seed): a call to \(name) has not ended")
            count.end()
        }
    }
}
