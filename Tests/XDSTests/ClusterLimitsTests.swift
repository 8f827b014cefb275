import SwiftletBalancing
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown
import Testing

@testable import SwiftletCore
@testable import SwiftletXDS

@Suite("The limits of a cluster")
struct ClusterLimitsTests {
    /// The policies of a cluster, whose subchannels connect at once, or when the test calls ``connect()``.
    private struct Tree {
        private final class Numbers {
            var last: UInt64 = 0
            var random: UInt64 = 1
        }

        private var balancer: any Balancer
        private var picker: any Picker
        private var memory = LeafMemory([:])
        private let numbers = Numbers()
        private(set) var endpoints: [Subchannel: Endpoint] = [:]
        private(set) var madeCount = 0
        private let connectsAtOnce: Bool
        private var waiting: [Subchannel] = []
        var now = Duration.zero

        private final class Unchosen: Picker {
            func pick(_ call: borrowing PickInfo) -> Pick { .queue() }
        }

        init(_ leaf: LeafCluster, _ load: ClusterLoad?, connectsAtOnce: Bool = true) throws {
            self.connectsAtOnce = connectsAtOnce
            memory.load = load
            balancer = LeafTree(leaf, path: [], at: now, &memory).policy.makeBalancer()
            picker = Unchosen()
            try update(leaf, load)
        }

        mutating func update(_ leaf: LeafCluster, _ load: ClusterLoad?) throws {
            memory.load = load
            memory.security.use(leaf.cluster.tls)
            let tree = LeafTree(leaf, path: [], at: now, &memory)
            let update = BalancerUpdate(endpoints: tree.endpoints, policy: tree.policy)
            var failure: RPCError?
            run { balancer, context in
                do throws(RPCError) { try balancer.update(update, &context) } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
        }

        private mutating func run(_ body: (inout any Balancer, inout BalancerContext) -> Void) {
            let numbers = numbers
            var context = BalancerContext(
                now: now,
                random: {
                    numbers.random = numbers.random &* 6_364_136_223_846_793_005 &+ 1
                    return numbers.random
                },
                makeSubchannel: { _, _ in
                    numbers.last += 1
                    return Subchannel(id: numbers.last)
                })
            body(&balancer, &context)
            for action in context.actions {
                switch action {
                case .make(let subchannel, let endpoint, _):
                    madeCount += 1
                    endpoints[subchannel] = endpoint
                case .update(let subchannel, let endpoint): endpoints[subchannel] = endpoint
                case .connect(let subchannel): waiting.append(subchannel)
                case .drop(let subchannel): endpoints[subchannel] = nil
                case .reportLoad: break
                }
            }
            if let report = context.takeReport() { picker = report.picker }
            if connectsAtOnce { connect() }
        }

        mutating func connect() {
            while !waiting.isEmpty {
                let subchannel = waiting.removeFirst()
                for state in [ConnectivityState.connecting, .ready] {
                    var report = SubchannelState(state)
                    if state == .ready { report.address = endpoints[subchannel]?.addresses.last }
                    run { $0.subchannel(subchannel, changedTo: report, &$1) }
                }
            }
        }

        func pick() -> Pick { picker.pick(PickInfo(path: "/s/M")) }

        mutating func timeHasCome() { run { $0.timeHasCome(&$1) } }

        mutating func close() { run { $0.close(&$1) } }
    }

    private static func endpoints(
        drops: [(category: String, percent: UInt32)] = [], zones: [String] = ["y", "z"]
    ) -> Envoy.Endpoints.ClusterLoadAssignment {
        var message = Sample.endpoints(
            "c",
            zones.enumerated().map { index, zone in
                let port = UInt32(80 + index)
                let host = Envoy.Endpoints.Endpoint.with {
                    $0.address = Sample.address("::1", port)
                    $0.hostname = zone
                }
                return Sample.locality(
                    zone, [Sample.endpoint("::1", port) { $0.hostIdentifier = .endpoint(host) }])
            })
        message.policy = .with { policy in
            policy.dropOverloads = drops.map { drop in
                .with {
                    $0.category = drop.category
                    $0.dropPercentage = .with { $0.numerator = drop.percent }
                }
            }
        }
        return message
    }

    /// What a pick was, and the end of its call.
    private static func call(_ tree: Tree, _ code: StatusCode? = .ok) -> CallTrackers? {
        guard case .subchannel(_, let trackers) = tree.pick() else { return nil }
        if let code { trackers.callEnded(CallOutcome(code: code)) }
        return trackers
    }

    @Test("count calls of each locality")
    func localities() throws {
        let server = try Sample.servers(1)[0]
        let leaf = Sample.leaf("localities", reportsTo: server, Self.endpoints())
        let load = Sample.load("localities", for: server)
        let tree = try Tree(leaf, load)
        for _ in 0..<50 { #expect(Self.call(tree) != nil) }
        for _ in 0..<50 { #expect(Self.call(tree, .internal) != nil) }
        let running = Self.call(tree, nil)
        let counts = load.take()
        #expect(counts.places.keys.map(\.zone).inOrder() == ["y", "z"])
        var sum = LoadCounts.Place()
        for place in counts.places.values {
            #expect(place.issued > 0)
            #expect(place.issued == place.succeeded + place.failed + place.running)
            sum += place
        }
        #expect(sum == LoadCounts.Place(issued: 101, succeeded: 50, failed: 50, running: 1))
        #expect(counts.drops.isEmpty && counts.excessDrops == 0)
        running?.callEnded(CallOutcome(code: .ok))
        #expect(load.take().places.values.map(\.succeeded).reduce(0, +) == 1)
    }

    @Test("count drops by category, and those above the limit without one")
    func drops() throws {
        let server = try Sample.servers(1)[0]
        let endpoints = Self.endpoints(drops: [("never", 0), ("some", 30), ("rest", 50)])
        let leaf = Sample.leaf("drops", reportsTo: server, endpoints) { cluster in
            cluster.circuitBreakers = .with {
                $0.thresholds = [.with { $0.maxRequests = .init(2) }]
            }
        }
        let load = Sample.load("drops", for: server)
        let tree = try Tree(leaf, load)
        var (dropped, running): (UInt64, [CallTrackers]) = (0, [])
        for _ in 0..<500 {
            switch tree.pick() {
            case .drop: dropped += 1
            case .subchannel(_, let trackers): running.append(trackers)
            default: Issue.record("another pick")
            }
        }
        #expect(running.count == 2)
        let counts = load.take()
        #expect(Set(counts.drops.keys) == ["never", "some", "rest"])
        #expect(counts.drops["never"] == 0 && counts.excessDrops > 0)
        #expect((100...200).contains(counts.drops["some"] ?? 0))
        #expect((110...240).contains(counts.drops["rest"] ?? 0))
        #expect(counts.drops.values.reduce(counts.excessDrops, +) == dropped)
        #expect(counts.places.values.map(\.running).reduce(0, +) == 2)
        for trackers in running { trackers.callEnded(CallOutcome(code: .ok)) }
    }

    @Test("do not draw again for a call that waits until a server is connected")
    func dropsWhileConnecting() throws {
        let server = try Sample.servers(1)[0]
        let leaf = Sample.leaf(
            "waiting", reportsTo: server, Self.endpoints(drops: [("all", 100)]))
        let load = Sample.load("waiting", for: server)
        var tree = try Tree(leaf, load, connectsAtOnce: false)
        guard case .queue = tree.pick() else {
            Issue.record("another pick")
            return
        }
        #expect(load.take().drops.values.allSatisfy { $0 == 0 })
        tree.connect()
        guard case .drop = tree.pick() else {
            Issue.record("another pick")
            return
        }
        #expect(load.take().drops["all"] == 1)
    }

    @Test(
        "use the connections of a locality that comes back within 15 minutes, and not later",
        arguments: [false, true])
    func returningLocality(isSecured: Bool) throws {
        let (one, two) = (Self.endpoints(zones: ["y"]), Self.endpoints())
        func leaf(_ endpoints: Envoy.Endpoints.ClusterLoadAssignment) -> LeafCluster {
            Sample.leaf("returning", reportsTo: nil, endpoints) { cluster in
                guard isSecured else { return }
                let roots = Envoy.TLS.CertificateValidationContext.with {
                    $0.systemRootCerts = .init()
                }
                let context = Envoy.TLS.UpstreamTlsContext.with {
                    $0.commonTLSContext = .with {
                        $0.validationContextType = .validationContext(roots)
                    }
                    $0.autoHostSNI = true
                }
                cluster.transportSocket = .with {
                    $0.configType = .typedConfig(Sample.any(context))
                }
            }
        }
        var tree = try Tree(leaf(two), nil)
        #expect(tree.endpoints.values.allSatisfy { ($0.attributes.security != nil) == isSecured })
        for minutes in [14, 28, 42] {
            try tree.update(leaf(one), nil)
            tree.now = .seconds(minutes * 60)
            try tree.update(leaf(two), nil)
            #expect(tree.madeCount == 2)
        }
        try tree.update(leaf(one), nil)
        tree.now += .seconds(15 * 60)
        tree.timeHasCome()
        #expect(tree.endpoints.count == 1)
        try tree.update(leaf(two), nil)
        #expect(tree.madeCount == 3)
    }

    @Test("count nothing for a cluster that does not report its load, and mark no endpoints")
    func noReports() throws {
        let leaf = Sample.leaf("none", reportsTo: nil, Self.endpoints(drops: [("lb", 50)]))
        #expect(ClusterLoad.Settings(leaf) == nil)
        let tree = try Tree(leaf, nil)
        #expect(!tree.endpoints.isEmpty)
        for endpoint in tree.endpoints.values {
            #expect(endpoint.attributes[MeshEndpoint.self] == nil)
        }
        var trackers: [any CallTracker] = []
        for _ in 0..<100 { Self.call(tree)?.first.map { trackers.append($0) } }
        #expect(!trackers.isEmpty)
        for tracker in trackers { #expect(tracker === trackers[0]) }
    }

    @Test("mark endpoints with their place and host name")
    func places() throws {
        let server = try Sample.servers(1)[0]
        let tree = try Tree(
            Sample.leaf("places", reportsTo: server, Self.endpoints()),
            Sample.load("places", for: server))
        let places = tree.endpoints.values.compactMap { $0.attributes[MeshEndpoint.self] }
        #expect(Set(places.map(\.locality)) == [Sample.zone("y"), Sample.zone("z")])
        #expect(Set(places.map(\.authority)) == ["y", "z"])
    }

    @Test("begin and stop to count without other connections")
    func changes() throws {
        let server = try Sample.servers(1)[0]
        let silent = Sample.leaf("changes", reportsTo: nil, Self.endpoints())
        let leaf = Sample.leaf("changes", reportsTo: server, Self.endpoints())
        var tree = try Tree(silent, nil)
        let first = Sample.load("changes", for: server)
        try tree.update(leaf, first)
        for _ in 0..<10 { _ = Self.call(tree) }
        #expect(first.take().places.values.map(\.issued).reduce(0, +) == 10)
        let second = Sample.load("changes", for: server)
        try tree.update(leaf, second)
        for _ in 0..<10 { _ = Self.call(tree) }
        // Its last counts, and then nothing: no call can be counted there any more.
        #expect(first.take().isZero && first.isEmpty)
        #expect(second.take().places.values.map(\.issued).reduce(0, +) == 10)
        try tree.update(silent, nil)
        for _ in 0..<10 { _ = Self.call(tree) }
        #expect(second.take().isZero)
        #expect(tree.madeCount == 2)
    }

    @Test("count calls to a locality that is gone")
    func removedLocality() throws {
        let server = try Sample.servers(1)[0]
        let load = Sample.load("gone", for: server)
        var tree = try Tree(Sample.leaf("gone", reportsTo: server, Self.endpoints()), load)
        var trackers: [CallTrackers] = []
        for _ in 0..<100 { Self.call(tree, nil).map { trackers.append($0) } }
        try tree.update(
            Sample.leaf("gone", reportsTo: server, Self.endpoints(zones: ["y"])), load)
        for tracker in trackers { tracker.callEnded(CallOutcome(code: .ok)) }
        let places = load.take().places
        #expect(places.values.map(\.succeeded).reduce(0, +) == 100)
        #expect(places.values.allSatisfy { $0.succeeded > 0 } && places.count == 2)
        for _ in 0..<20 { _ = Self.call(tree) }
        let later = load.take().places
        #expect(later[Sample.zone("y")]?.succeeded == 20)
        #expect(later[Sample.zone("z")] ?? .init() == .init())
    }

    @Test("count the calls of pick_first in the locality of the address that is connected")
    func joinedLocalities() throws {
        let server = try Sample.servers(1)[0]
        func leaf(_ zones: [String]) -> LeafCluster {
            Sample.leaf("joined", reportsTo: server, Self.endpoints(zones: zones)) { cluster in
                cluster.loadBalancingPolicy = .with {
                    $0.policies = [Sample.policy(Envoy.Policies.PickFirst())]
                }
            }
        }
        let load = Sample.load("joined", for: server)
        var tree = try Tree(leaf(["w", "x", "y"]), load)
        #expect(tree.madeCount == 1)
        for _ in 0..<10 { #expect(Self.call(tree) != nil) }
        #expect(load.take().places.filter { $0.value.issued > 0 }.keys.map(\.zone) == ["y"])
        // The same connection, whose address is now in another locality.
        try tree.update(leaf(["w", "x", "z"]), load)
        for _ in 0..<10 { #expect(Self.call(tree) != nil) }
        #expect(tree.madeCount == 1)
        #expect(load.take().places.filter { $0.value.issued > 0 }.keys.map(\.zone) == ["z"])
    }
}
