import SwiftletBalancing
import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletXDS

@Suite("The servers of sessions")
struct AffinityTests {
    /// The policies of a cluster in virtual time. The test reports the states of its subchannels.
    private struct Tree {
        private final class Numbers: Sendable {
            let last = Atomic<UInt64>(0)
            let random = Atomic<UInt64>(1)
            let wakeUps = Atomic(0)
        }

        /// Of a subchannel, to see whether something still uses it.
        private final class Connections: SubchannelBackend {
            let labels: BackendLabels? = nil

            func open(_ call: CallCore, _ prepared: PreparedHeaders) -> SubchannelOpening {
                .disconnected
            }

            func requestConnection() {}
        }

        private final class Made: Sendable {
            struct Weak { weak var connections: Connections? }

            let all = Mutex<[Weak]>([])

            func make() -> Connections {
                let connections = Connections()
                all.withLock { $0.append(Weak(connections: connections)) }
                return connections
            }
        }

        private let made = Made()
        /// The subchannels that something still uses.
        var usedCount: Int { made.all.withLock { $0.count { $0.connections != nil } } }

        private var balancer: any Balancer
        private(set) var picker: any Picker = QueuePicker()
        private var memory = LeafMemory([:])
        private let numbers = Numbers()
        private(set) var endpoints: [Subchannel: Endpoint] = [:]
        private(set) var connecting: Set<Subchannel> = []
        private(set) var reportCount = 0
        private(set) var wakeTimes: [Duration] = []
        var now = Duration.zero
        var hasSessions = true
        private let rewritesAuthority: Bool

        init(_ leaf: LeafCluster, rewritesAuthority: Bool = false) throws {
            self.rewritesAuthority = rewritesAuthority
            balancer = LeafTree(leaf, path: [], at: now, hasSessions: true, &memory).policy
                .makeBalancer()
            try update(leaf)
        }

        mutating func update(_ leaf: LeafCluster) throws {
            let tree = LeafTree(
                leaf, path: [], at: now, rewritesAuthority: rewritesAuthority,
                hasSessions: hasSessions, &memory)
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
            let (numbers, made) = (numbers, made)
            var context = BalancerContext(
                now: now, random: { numbers.random.add(1, ordering: .relaxed).newValue &* 7_919 },
                wakeUp: { numbers.wakeUps.add(1, ordering: .relaxed) },
                makeSubchannel: { _, _ in
                    Subchannel(
                        id: numbers.last.add(1, ordering: .relaxed).newValue, backend: made.make())
                })
            body(&balancer, &context)
            for action in context.actions {
                switch action {
                case .make(let subchannel, let endpoint, _): endpoints[subchannel] = endpoint
                case .update(let subchannel, let endpoint): endpoints[subchannel] = endpoint
                case .connect(let subchannel): connecting.insert(subchannel)
                case .drop(let subchannel): endpoints[subchannel] = nil
                case .reportLoad: break
                }
            }
            wakeTimes += context.wakeTimes
            if let report = context.takeReport() {
                picker = report.picker
                reportCount += 1
            }
        }

        mutating func set(_ subchannel: Subchannel, _ state: ConnectivityState) {
            var report = SubchannelState(
                state, failure: state == .transientFailure ? .noConnection("no") : nil)
            if state == .ready { report.address = endpoints[subchannel]?.addresses.first }
            connecting.remove(subchannel)
            run { $0.subchannel(subchannel, changedTo: report, &$1) }
        }

        /// Connects what is to be connected.
        mutating func connect() {
            while let next = connecting.min(by: { $0.id < $1.id }) {
                set(next, .connecting)
                set(next, .ready)
            }
        }

        /// As the channel does after a picker has asked for it.
        mutating func wakeIfAsked() {
            guard numbers.wakeUps.exchange(0, ordering: .relaxed) > 0 else { return }
            run { $0.timeHasCome(&$1) }
        }

        mutating func timePasses(to time: Duration) {
            now = time
            run { $0.timeHasCome(&$1) }
        }

        mutating func close() { run { $0.close(&$1) } }

        /// Picks for a call with a cookie. `list` becomes that of the cookie of the answer.
        func pick(_ wanted: ByteText = "", _ list: inout ByteText?) -> Pick {
            let server = SessionServer(list: wanted, cluster: "c")
            let session = Session(
                SessionCookie(name: "id", lifetime: .zero, path: ""), server, in: "c")
            let place = CallPlace("c", rewritesAuthority: false, session: session)
            let pick = picker.pick(PickInfo(path: "/s/M", requestHash: nil, attributes: place))
            var metadata = Metadata()
            session.responseBegins(with: &metadata)
            list = metadata["set-cookie"].map { header in
                let again: Metadata = ["cookie": String(header.prefix { $0 != ";" })]
                return SessionCookie(name: "id", lifetime: .zero, path: "").server(of: again).list
            }
            return pick
        }

        func pick(_ wanted: ByteText) -> Pick {
            var list: ByteText?
            return pick(wanted, &list)
        }

        /// The list of the cookie of the answer to a call with a cookie.
        func list(_ wanted: ByteText = "") -> ByteText? {
            var list: ByteText?
            _ = pick(wanted, &list)
            return list
        }

        /// The address that a pick leads to; nil for another pick.
        func chosen(_ wanted: ByteText = "") -> String? {
            guard case .subchannel(let subchannel, _) = pick(wanted) else { return nil }
            return endpoints[subchannel]?.addresses.first?.description
        }

        func isQueued(_ wanted: ByteText) -> Bool {
            if case .queue = pick(wanted) { true } else { false }
        }

        func subchannel(to address: String) -> Subchannel? {
            endpoints.first { $0.value.addresses.first?.description == address }?.key
        }
    }

    private static let a: ByteText = "127.0.0.1:1"
    private static let b: ByteText = "127.0.0.1:2"

    /// Endpoints at the ports, each with its health status and priority.
    private static func leaf(
        _ endpoints: [(port: UInt32, status: Envoy.Core.HealthStatus, priority: UInt32)],
        _ change: (inout Envoy.Clusters.Cluster) -> Void = { _ in }
    ) -> LeafCluster {
        var localities: [Envoy.Endpoints.LocalityLbEndpoints] = []
        for priority in Set(endpoints.map(\.priority)).sorted() {
            var locality = Sample.locality(
                "z\(priority)",
                endpoints.filter { $0.priority == priority }.map { endpoint in
                    Sample.endpoint("127.0.0.1", endpoint.port) {
                        $0.healthStatus = endpoint.status
                    }
                })
            locality.priority = priority
            localities.append(locality)
        }
        return Sample.leaf("c", reportsTo: nil, Sample.endpoints("c", localities), change)
    }

    private static func draining(_ message: inout Envoy.Clusters.Cluster) {
        message.commonLBConfig = .with {
            $0.overrideHostStatus = .with { $0.statuses = [.unknown, .healthy, .draining] }
        }
    }

    private static func idle(after seconds: Int64) -> (inout Envoy.Clusters.Cluster) -> Void {
        { cluster in
            let common = Envoy.Core.HttpProtocolOptions.with {
                $0.idleTimeout = .init(seconds: seconds)
            }
            let options = Envoy.Upstreams.HttpProtocolOptions.with {
                $0.commonHTTPProtocolOptions = common
            }
            cluster.upstreamConfig = .with { $0.typedConfig = Sample.any(options) }
        }
    }

    @Test("get the calls whose cookie names them, and a cookie is set for the others")
    func affinity() throws {
        var tree = try Tree(Self.leaf([(1, .healthy, 0), (2, .healthy, 0)]))
        tree.connect()
        for _ in 0..<10 {
            #expect(tree.chosen(Self.a) == Self.a.string && tree.list(Self.a) == nil)
            #expect(tree.chosen(Self.b) == Self.b.string)
        }
        var list: ByteText?
        guard case .subchannel(let subchannel, _) = tree.pick("", &list) else {
            return #expect(Bool(false))
        }
        #expect(tree.endpoints[subchannel]?.addresses.first?.description == list?.string)
        // An unknown server: any, and a new cookie.
        #expect(tree.list("127.0.0.1:9") != nil)
        // The first address that can be used.
        #expect(tree.chosen("127.0.0.1:9,127.0.0.1:2") == Self.b.string)
        #expect(Set((0..<4).compactMap { _ in tree.chosen() }).count == 2)
    }

    @Test("are waited for while they connect, and asked to connect if they are idle")
    func waiting() throws {
        var tree = try Tree(Self.leaf([(1, .healthy, 0), (2, .healthy, 0)]))
        let first = try #require(tree.subchannel(to: Self.a.string))
        let second = try #require(tree.subchannel(to: Self.b.string))
        tree.set(second, .ready)
        tree.set(first, .connecting)
        #expect(tree.isQueued(Self.a))
        let count = tree.reportCount
        tree.set(first, .ready)
        #expect(tree.reportCount > count && tree.chosen(Self.a) == Self.a.string)
        tree.set(first, .idle)
        guard case .queue(let connecting) = tree.pick(Self.a) else {
            return #expect(Bool(false), "an idle server is waited for")
        }
        #expect(connecting == first)
        // A failed one is not.
        tree.set(first, .transientFailure)
        #expect(tree.chosen(Self.a) == Self.b.string && tree.list(Self.a) == Self.b)
    }

    @Test("keep their calls while they drain, if the cluster says so, and get no others")
    func drain() throws {
        var tree = try Tree(Self.leaf([(1, .healthy, 0), (2, .healthy, 0)], Self.draining))
        tree.connect()
        #expect(tree.chosen(Self.a) == Self.a.string)
        let made = tree.endpoints.count
        try tree.update(Self.leaf([(1, .draining, 0), (2, .healthy, 0)], Self.draining))
        #expect(tree.endpoints.count == made, "the connection is kept")
        #expect(tree.chosen(Self.a) == Self.a.string)
        for _ in 0..<10 { #expect(tree.chosen() == Self.b.string) }
        // It comes back: its connection serves sessions until the policy has one.
        try tree.update(Self.leaf([(1, .healthy, 0), (2, .healthy, 0)], Self.draining))
        #expect(tree.endpoints.count == made + 1 && tree.chosen(Self.a) == Self.a.string)
        tree.connect()
        #expect(tree.endpoints.count == made && tree.chosen(Self.a) == Self.a.string)
        // It leaves.
        try tree.update(Self.leaf([(1, .draining, 0), (2, .healthy, 0)], Self.draining))
        try tree.update(Self.leaf([(2, .healthy, 0)], Self.draining))
        #expect(tree.endpoints.count == 1 && tree.chosen(Self.a) == Self.b.string)
    }

    @Test("lose their calls when their health status is not one of the cluster's")
    func status() throws {
        var tree = try Tree(Self.leaf([(1, .healthy, 0), (2, .healthy, 0)]))
        tree.connect()
        #expect(tree.chosen(Self.a) == Self.a.string)
        try tree.update(Self.leaf([(1, .draining, 0), (2, .healthy, 0)]))
        #expect(tree.chosen(Self.a) == Self.b.string && tree.endpoints.count == 1)
        let onlyUnknown = { (message: inout Envoy.Clusters.Cluster) in
            message.commonLBConfig = .with {
                $0.overrideHostStatus = .with { $0.statuses = [.unknown] }
            }
        }
        try tree.update(Self.leaf([(1, .healthy, 0), (2, .unknown, 0)], onlyUnknown))
        tree.connect()
        #expect(Set((0..<10).compactMap { _ in tree.chosen(Self.a) }).count == 2)
        #expect(tree.chosen(Self.b) == Self.b.string)
    }

    @Test(
        "are connected if the policy does not connect to them, and let go when no session uses them"
    )
    func lowerPriority() throws {
        var tree = try Tree(Self.leaf([(1, .healthy, 0), (2, .healthy, 1)], Self.idle(after: 60)))
        tree.connect()
        #expect(tree.subchannel(to: Self.b.string) == nil)
        #expect(tree.isQueued(Self.b) && tree.isQueued(Self.b))
        tree.wakeIfAsked()
        let own = try #require(tree.subchannel(to: Self.b.string))
        #expect(tree.connecting == [own] && tree.endpoints.count == 2)
        let count = tree.reportCount
        tree.connect()
        #expect(tree.reportCount > count && tree.chosen(Self.b) == Self.b.string)
        #expect(tree.chosen() == Self.a.string)
        // Used in each minute, then no more.
        for minute in 1...3 {
            tree.timePasses(to: .seconds(60 * minute))
            #expect(tree.chosen(Self.b) == Self.b.string)
        }
        tree.timePasses(to: .seconds(240))
        #expect(tree.endpoints.count == 2)
        tree.timePasses(to: .seconds(300))
        #expect(tree.endpoints.count == 1)
        #expect(tree.isQueued(Self.b), "it is connected again when a session needs it")
    }

    @Test(
        "are kept while calls wait for them, however long it takes to connect", arguments: [0, 1])
    func slowConnection(idleTimeout: Int64) throws {
        var tree = try Tree(
            Self.leaf([(1, .healthy, 0), (2, .healthy, 1)], Self.idle(after: idleTimeout)))
        tree.connect()
        #expect(tree.isQueued(Self.b))
        tree.wakeIfAsked()
        let own = try #require(tree.subchannel(to: Self.b.string))
        tree.set(own, .connecting)
        #expect(tree.isQueued(Self.b))
        tree.timePasses(to: .seconds(5))
        tree.timePasses(to: .seconds(10))
        #expect(tree.subchannel(to: Self.b.string) == own)
        let count = tree.reportCount
        tree.set(own, .ready)
        #expect(tree.reportCount > count && tree.chosen(Self.b) == Self.b.string)
        // No call waits any more.
        tree.timePasses(to: .seconds(15 + idleTimeout))
        tree.timePasses(to: .seconds(20 + idleTimeout))
        #expect(tree.subchannel(to: Self.b.string) == nil)
    }

    @Test("are kept while calls wait for them, also when the policy drops them")
    func expiry() throws {
        var tree = try Tree(Self.leaf([(1, .healthy, 0), (2, .healthy, 1)], Self.idle(after: 1)))
        tree.connect()
        let first = try #require(tree.subchannel(to: Self.a.string))
        tree.set(first, .transientFailure)
        let second = try #require(tree.subchannel(to: Self.b.string))
        tree.set(second, .connecting)
        tree.set(first, .ready)
        tree.timePasses(to: .seconds(899))
        #expect(tree.isQueued(Self.b))
        // The lower priority was not used for 15 minutes.
        tree.timePasses(to: .seconds(900))
        #expect(tree.subchannel(to: Self.b.string) == second)
        let count = tree.reportCount
        tree.set(second, .ready)
        #expect(tree.reportCount > count && tree.chosen(Self.b) == Self.b.string)
    }

    /// - Parameter rewritesAuthority: Then endpoints are the same with and without sessions.
    @Test(
        "cost nothing when no call has a session, and are known when calls get one",
        arguments: [false, true])
    func switching(rewritesAuthority: Bool) throws {
        let leaf = Self.leaf([(1, .healthy, 0), (2, .healthy, 0)])
        var tree = try Tree(leaf, rewritesAuthority: rewritesAuthority)
        tree.connect()
        tree.hasSessions = false
        try tree.update(leaf)
        #expect(tree.list(Self.a) == nil)
        #expect(Set((0..<4).compactMap { _ in tree.chosen(Self.a) }).count == 2)
        tree.hasSessions = true
        try tree.update(leaf)
        for _ in 0..<4 { #expect(tree.chosen(Self.a) == Self.a.string) }
        #expect(tree.list() != nil && tree.endpoints.count == 2)
    }

    @Test("of pick_first are the ones that sessions name, not only the one that it has chosen")
    func pickFirst() throws {
        var tree = try Tree(
            Self.leaf([(1, .healthy, 0), (2, .healthy, 0)]) {
                $0.loadBalancingPolicy = .with {
                    $0.policies = [Sample.policy(Envoy.Policies.PickFirst())]
                }
            })
        tree.connect()
        #expect(tree.chosen() == Self.a.string && tree.list() == Self.a)
        #expect(tree.chosen(Self.a) == Self.a.string && tree.endpoints.count == 1)
        #expect(tree.isQueued(Self.b))
        tree.wakeIfAsked()
        tree.connect()
        #expect(tree.chosen(Self.b) == Self.b.string && tree.endpoints.count == 2)
    }

    @Test("drop what they have kept when the tree is closed")
    func closing() throws {
        var tree = try Tree(Self.leaf([(1, .healthy, 0), (2, .healthy, 0)], Self.draining))
        tree.connect()
        #expect(tree.chosen(Self.a) == Self.a.string)
        try tree.update(Self.leaf([(1, .draining, 0), (2, .healthy, 0)], Self.draining))
        tree.close()
        #expect(tree.endpoints.isEmpty)
    }

    @Test("release the connections that only sessions have used, when these end")
    func release() throws {
        let both = Self.leaf([(1, .healthy, 0), (2, .healthy, 0)], Self.draining)
        let one = Self.leaf([(2, .healthy, 0)], Self.draining)
        var tree = try Tree(both)
        for _ in 0..<3 {
            try tree.update(both)
            tree.connect()
            #expect(tree.chosen(Self.a) == Self.a.string)
            try tree.update(Self.leaf([(1, .draining, 0), (2, .healthy, 0)], Self.draining))
            #expect(tree.usedCount == 2)
            try tree.update(one)
            #expect(tree.usedCount == 1)
        }
    }
}
