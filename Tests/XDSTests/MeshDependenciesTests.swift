import SwiftletMessages
import SwiftletTransport
import Testing

@testable import SwiftletXDS

@Suite("The parts of a configuration")
struct MeshDependenciesTests {
    /// A control plane that has resources, and the watches of a target.
    private struct Mesh {
        var dependencies = MeshDependencies(
            listener: Self.name("svc", .listener), authority: "svc")
        var resources: [ResourceKey: WatchEvent] = [:]
        var watched: [ResourceKey: ADSClient.WatcherID] = [:]
        var lookUps: Set<ClusterHost> = []
        var reports: [MeshDependencies.Action] = []
        /// Resources that were asked for and not answered yet.
        var open: [ResourceKey] = []

        init() { run() }

        static func name(_ text: String, _ type: ResourceType) -> ResourceName {
            guard let name = ResourceName(text, of: type) else {
                preconditionFailure("a test names its resources rightly")
            }
            return name
        }

        /// Carries actions out. Watches are answered only by ``answer(_:)``.
        mutating func run() {
            for action in dependencies.takeActions() {
                switch action {
                case .watch(let id, let key):
                    #expect(watched.updateValue(id, forKey: key) == nil)
                    open.append(key)
                case .unwatch(let id):
                    let key = watched.first { $0.value == id }?.key
                    if let key {
                        watched[key] = nil
                        open.removeAll { $0 == key }
                    }
                    #expect(key != nil)
                case .lookUp(let host): #expect(lookUps.insert(host).inserted)
                case .stopLookUp(let host): #expect(lookUps.remove(host) != nil)
                case .use, .fail: reports.append(action)
                }
            }
        }

        mutating func set(_ name: String, _ type: ResourceType, _ event: WatchEvent) {
            let key = ResourceKey(type: type, name: Self.name(name, type))
            resources[key] = event
            guard let id = watched[key] else { return }
            open.removeAll { $0 == key }
            dependencies.received(id, event)
            run()
        }

        mutating func set(_ name: String, _ type: ResourceType, _ message: some Message) {
            let checked = Sample.check(message, type)
            #expect(checked.problem.isEmpty, "\(checked.problem)")
            if let resource = checked.resource { set(name, type, .resource(resource)) }
        }

        /// Answers what is open and exists, until nothing more is asked for.
        mutating func answer() {
            while let key = open.first(where: { resources[$0] != nil }), let id = watched[key],
                let event = resources[key]
            {
                open.removeAll { $0 == key }
                dependencies.received(id, event)
                run()
            }
        }

        /// Answers all that is open together, until nothing more is asked for.
        mutating func answerTogether() {
            while !open.isEmpty {
                for key in open {
                    guard let id = watched[key], let event = resources[key] else { continue }
                    dependencies.received(id, event)
                }
                open = []
                run()
            }
        }

        mutating func add(_ name: String, _ type: ResourceType, _ message: some Message) {
            let key = ResourceKey(type: type, name: Self.name(name, type))
            resources[key] = Sample.check(message, type).resource.map { .resource($0) }
        }

        var configuration: MeshConfiguration? {
            if case .use(let configuration)? = reports.last { configuration } else { nil }
        }

        func cluster(_ name: ByteText) -> ClusterConfiguration? {
            if case .usable(let cluster)? = configuration?.clusters[name] { cluster } else { nil }
        }

        func failure(_ name: ByteText) -> String? {
            if case .failed(let text)? = configuration?.clusters[name] { text } else { nil }
        }
    }

    private func endpoints(_ name: String, _ address: String)
        -> Envoy.Endpoints.ClusterLoadAssignment
    {
        Sample.endpoints(name, [Sample.locality("z", [Sample.endpoint(address)])])
    }

    /// A listener whose routes lead to clusters.
    private func mesh(to clusters: [String]) -> Mesh {
        var mesh = Mesh()
        mesh.set("svc", .listener, Sample.listener("svc"))
        let routes = clusters.map { Sample.route(prefix: "/\($0)", to: $0) }
        mesh.set("routes", .routeConfiguration, Sample.routes("routes", routes))
        return mesh
    }

    private func aggregate(_ name: String, of clusters: [String]) -> Envoy.Clusters.Cluster {
        Sample.cluster(name) { cluster in
            cluster.clusterDiscoveryType = .clusterType(
                .with {
                    $0.name = "envoy.clusters.aggregate"
                    $0.typedConfig = Sample.any(
                        Envoy.Aggregate.ClusterConfig.with { $0.clusters = clusters })
                })
        }
    }

    @Test("are reported together, when the last one is known")
    func complete() {
        var mesh = mesh(to: ["a", "b"])
        mesh.set("a", .cluster, Sample.cluster("a"))
        mesh.set("a", .endpoints, endpoints("a", "10.0.0.1"))
        mesh.set("b", .cluster, Sample.cluster("b"))
        #expect(mesh.reports.isEmpty)
        mesh.set("b", .endpoints, endpoints("b", "10.0.0.2"))
        #expect(mesh.reports.count == 1)
        #expect(mesh.configuration?.clusters.count == 2)
        #expect(mesh.cluster("b")?.leaves.first?.endpoints?.priorities.count == 1)
    }

    @Test(
        "of new routes are not used before their clusters are known, and the old ones are left then"
    )
    func routesChange() {
        var mesh = mesh(to: ["a"])
        mesh.set("a", .cluster, Sample.cluster("a"))
        mesh.set("a", .endpoints, endpoints("a", "10.0.0.1"))
        mesh.set("routes", .routeConfiguration, Sample.routes("routes", [Sample.route(to: "b")]))
        #expect(mesh.reports.count == 1)
        mesh.set("b", .cluster, Sample.cluster("b"))
        mesh.set("b", .endpoints, endpoints("b", "10.0.0.2"))
        #expect(mesh.reports.count == 2 && mesh.cluster("b") != nil && mesh.cluster("a") == nil)
        #expect(!mesh.watched.keys.contains { $0.name == ResourceName("a", of: .cluster) })
    }

    @Test("keep a cluster that calls still use, until the last of them has ended")
    func users() {
        var mesh = mesh(to: ["a"])
        mesh.set("a", .cluster, Sample.cluster("a"))
        mesh.set("a", .endpoints, endpoints("a", "10.0.0.1"))
        mesh.dependencies.retain("a")
        mesh.dependencies.retain("a")
        mesh.resources[ResourceKey(type: .cluster, name: Mesh.name("b", .cluster))] =
            .failed("gone")
        mesh.set("routes", .routeConfiguration, Sample.routes("routes", [Sample.route(to: "b")]))
        mesh.answer()
        #expect(mesh.cluster("a") != nil && mesh.failure("b") == "gone")
        mesh.dependencies.release("a")
        mesh.run()
        #expect(mesh.cluster("a") != nil)
        mesh.dependencies.release("a")
        mesh.run()
        #expect(mesh.configuration?.clusters.keys.map(\.string) == ["b"])
    }

    @Test("fail a cluster alone, and calls of a target whose listener or routes are missing")
    func failures() {
        var mesh = mesh(to: ["a", "b"])
        mesh.set("a", .cluster, .failed("no a"))
        mesh.set("b", .cluster, Sample.cluster("b"))
        mesh.set("b", .endpoints, .failed("no endpoints"))
        #expect(mesh.failure("a") == "no a")
        #expect(mesh.cluster("b")?.leaves.first?.note == "no endpoints")
        #expect(mesh.cluster("b")?.leaves.first?.endpoints == nil)
        mesh.set("routes", .routeConfiguration, .failed("no routes"))
        #expect(mesh.reports.last == .fail("no routes"))
        #expect(mesh.watched.count == 2)
        mesh.set("svc", .listener, .failed("no listener"))
        #expect(mesh.reports.last == .fail("no listener"))
    }

    @Test("fail the calls if the listener is one of servers (A74)")
    func listenerOfServers() {
        var mesh = mesh(to: ["a"])
        mesh.set("a", .cluster, Sample.cluster("a"))
        mesh.set("a", .endpoints, endpoints("a", "10.0.0.1"))
        mesh.set(
            "svc", .listener,
            Envoy.Listeners.Listener.with {
                $0.name = "svc"
                $0.address = Sample.address("10.0.0.1")
            })
        #expect(mesh.reports.last == .fail("xds: LDS resource svc: is a listener of servers"))
        mesh.set("svc", .listener, Sample.listener("svc"))
        mesh.answer()
        #expect(mesh.cluster("a") != nil)
    }

    @Test("without a virtual host for the channel fail its calls")
    func virtualHost() {
        var mesh = Mesh()
        mesh.set("svc", .listener, Sample.listener("svc"))
        mesh.set(
            "routes", .routeConfiguration,
            Sample.routes("routes", [Sample.route(to: "a")], domains: ["other"]))
        #expect(mesh.reports == [.fail("xds: the routes have no virtual host for 'svc'")])
    }

    @Test("that are equal are not reported again, and an older value is kept with a note")
    func stale() {
        var mesh = mesh(to: ["a"])
        mesh.set("a", .cluster, Sample.cluster("a"))
        mesh.set("a", .endpoints, endpoints("a", "10.0.0.1"))
        mesh.set("a", .cluster, Sample.cluster("a"))
        #expect(mesh.reports.count == 1)
        mesh.set("a", .endpoints, .stale("not reached"))
        #expect(mesh.cluster("a")?.leaves.first?.note == "not reached")
        #expect(mesh.cluster("a")?.leaves.first?.endpoints != nil)
        mesh.set("a", .endpoints, .recovered)
        #expect(mesh.cluster("a")?.leaves.first?.note == nil)
    }

    @Test("of an aggregate cluster are its leaves, each once, and without those that are missing")
    func aggregates() {
        var mesh = mesh(to: ["top"])
        mesh.set("top", .cluster, aggregate("top", of: ["x", "missing", "a"]))
        // A cycle: "x" is below "top", and has "top" below it.
        mesh.set("x", .cluster, aggregate("x", of: ["b", "a", "top"]))
        mesh.set("missing", .cluster, .failed("gone"))
        for name in ["a", "b"] {
            mesh.set(name, .cluster, Sample.cluster(name))
            mesh.set(name, .endpoints, endpoints(name, "10.0.0.\(name == "a" ? 1 : 2)"))
        }
        #expect(mesh.cluster("top")?.leaves.map(\.name) == ["b", "a"])
        #expect(mesh.configuration?.clusters.count == 1)
        mesh.set("x", .cluster, .failed("x is gone"))
        mesh.set("a", .cluster, .failed("a is gone"))
        #expect(mesh.failure("top") == "a is gone")
    }

    @Test(
        "may have sixteen clusters inside each other, with the one that has endpoints, and no more")
    func depth() {
        for (depth, isUsable) in [(15, true), (16, false)] {
            var mesh = mesh(to: ["c0"])
            for level in 0..<depth {
                // Diamonds: twice the same way at each level.
                let next = "c\(level + 1)"
                mesh.set("c\(level)", .cluster, aggregate("c\(level)", of: [next, next]))
            }
            mesh.set("c\(depth)", .cluster, Sample.cluster("c\(depth)"))
            mesh.set("c\(depth)", .endpoints, endpoints("c\(depth)", "10.0.0.1"))
            #expect((mesh.cluster("c0") != nil) == isUsable)
            #expect(isUsable || mesh.failure("c0")?.contains("more than 16") == true)
        }
    }

    @Test("are limited below aggregate clusters that multiply, and the other clusters can be used")
    func multiplied() {
        let names = (0..<400).map { "top\($0)" }
        var mesh = mesh(to: names + ["single"])
        let leaves = (0..<400).map { "leaf\($0)" }
        for name in names { mesh.add(name, .cluster, aggregate(name, of: ["shared"])) }
        mesh.add("shared", .cluster, aggregate("shared", of: leaves))
        for name in leaves + ["single"] {
            mesh.add(name, .cluster, Sample.cluster(name))
            mesh.add(name, .endpoints, endpoints(name, "10.0.0.1"))
        }
        mesh.answerTogether()
        #expect(mesh.cluster("top0")?.leaves.count == 400)
        #expect(mesh.cluster("single")?.leaves.count == 1)
        #expect(
            mesh.failure("top399")
                == "xds: CDS resource top399: more than 100000 clusters are below the aggregate clusters of the routes"
        )
        let count = mesh.configuration?.clusters.keys.reduce(0) {
            $0 + (mesh.cluster($1)?.leaves.count ?? 0)
        }
        #expect(count ?? .max < 100_000)
    }

    @Test("wait for the addresses of a host name, which are one endpoint")
    func hosts() throws {
        var mesh = mesh(to: ["d"])
        let cluster = Sample.cluster("d") { cluster in
            cluster.clusterDiscoveryType = .type(.logicalDns)
            cluster.loadAssignment = Sample.endpoints(
                "d", [Sample.locality("", [Sample.endpoint("db.local", 5432)], weight: nil)])
        }
        mesh.set("d", .cluster, cluster)
        #expect(mesh.reports.isEmpty)
        let host = try #require(mesh.lookUps.first)
        let addresses = ["10.0.0.1", "10.0.0.2"].compactMap { SocketAddress(host: $0, port: 5432) }
        mesh.dependencies.lookedUp(host, .success(addresses))
        mesh.run()
        let endpoints = mesh.cluster("d")?.leaves.first?.endpoints?.priorities.first?.first?
            .endpoints
        #expect(endpoints?.map(\.addresses) == [addresses])
        #expect(endpoints?.first?.hostName == "db.local:5432")
        mesh.dependencies.lookedUp(host, .failure(.init(text: "no answer")))
        mesh.run()
        #expect(mesh.cluster("d")?.leaves.first?.note == "no answer")
        #expect(mesh.cluster("d")?.leaves.first?.endpoints != nil)
    }

    @Test("are the same in whatever order they arrive, and nothing is watched after the end")
    func order() {
        var random = SystemRandomNumberGenerator()
        var reports: Set<MeshDependencies.Action?> = []
        for _ in 0..<50 {
            var mesh = Mesh()
            mesh.resources = [:]
            var inputs: [(String, ResourceType, any Message)] = [
                ("svc", .listener, Sample.listener("svc")),
                (
                    "routes", .routeConfiguration,
                    Sample.routes(
                        "routes", [Sample.route(prefix: "/a", to: "a"), Sample.route(to: "top")])
                ),
                ("top", .cluster, aggregate("top", of: ["b", "a"])),
                ("a", .cluster, Sample.cluster("a")), ("b", .cluster, Sample.cluster("b")),
                ("a", .endpoints, endpoints("a", "10.0.0.1")),
                ("b", .endpoints, endpoints("b", "10.0.0.2")),
            ]
            inputs.shuffle(using: &random)
            for (name, type, message) in inputs {
                mesh.set(name, type, message)
                mesh.answer()
            }
            #expect(mesh.reports.count == 1)
            reports.insert(mesh.reports.last)
            mesh.dependencies.close()
            mesh.run()
            #expect(mesh.watched.isEmpty && mesh.lookUps.isEmpty)
        }
        #expect(reports.count == 1)
    }
}
