import SwiftletBalancing
import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown
import Testing

@testable import SwiftletXDS

@Suite("The explanation of a call")
struct ExplanationTests {
    private struct Unexpected: Error { let problem: String }

    /// A selector for the routes, whose clusters have one endpoint each.
    private static func selector(
        _ routes: [Envoy.Routes.Route],
        _ change: (inout Envoy.ConnectionManager.HttpConnectionManager) -> Void = { _ in }
    ) throws -> MeshSelector {
        let checked = Sample.check(
            Sample.routes("r", routes, domains: ["svc", "*.svc"]), .routeConfiguration)
        guard case .routeConfiguration(let table)? = checked.resource else {
            throw Unexpected(problem: checked.problem)
        }
        let listener = Sample.check(Sample.listener("l", change), .listener)
        guard case .listener(let listener)? = listener.resource else {
            throw Unexpected(problem: listener.problem)
        }
        let configuration = MeshConfiguration(
            listener: listener, virtualHost: table.virtualHosts[0], clusters: [:])
        let uses = configuration.virtualHost.clusters.map { ($0, ClusterUse($0) { _ in }) }
        return MeshSelector(
            configuration, Dictionary(uniqueKeysWithValues: uses), channelID: 7)
    }

    private static func explain(
        _ selector: MeshSelector, _ path: String = "/s/m", _ metadata: Metadata = [:],
        _ clusters: [ByteText: ClusterState] = [:]
    ) -> XDS.Explanation {
        selector.explanation(for: path, metadata, authority: "svc", clusters)
    }

    private static func forward(_ explanation: XDS.Explanation) -> XDS.Explanation.Forward? {
        if case .forward(_, let forward) = explanation.outcome { return forward }
        return nil
    }

    @Test("says of each earlier route which condition does not hold, and what the call has")
    func reasons() throws {
        let selector = try Self.selector([
            Sample.match(to: "a") { $0.pathSpecifier = .path("/a/b") },
            Sample.match(to: "b") {
                $0.pathSpecifier = .prefix("/s/")
                $0.headers = [
                    .with {
                        $0.name = "x-a"
                        $0.headerMatchSpecifier = .presentMatch(true)
                    },
                    .with {
                        $0.name = "x-b"
                        $0.headerMatchSpecifier = .exactMatch("blue")
                    },
                ]
            },
            Sample.match(to: "c") {
                $0.pathSpecifier = .prefix("")
                $0.runtimeFraction = .with { $0.defaultValue = .with { $0.numerator = 0 } }
            },
            Sample.route(to: "d"),
            Sample.route(to: "e"),
        ])
        let explanation = Self.explain(selector, "/s/m", ["x-a": "1", "x-b": "red"])
        #expect(explanation.domains == ["svc", "*.svc"])
        #expect(explanation.skipped.map(\.route.index) == [0, 1, 2])
        #expect(explanation.skipped[0].route.conditions == ["the path is '/a/b'"])
        #expect(explanation.skipped[0].reason == "the path is '/s/m'")
        #expect(
            explanation.skipped[1].route.conditions == [
                "the path begins with '/s/'", "the header 'x-a' is present",
                "the header 'x-b' is 'blue'",
            ])
        #expect(explanation.skipped[1].reason == "the header 'x-b' is 'red'")
        #expect(explanation.skipped[2].route.conditions.last == "0 % of the calls")
        #expect(explanation.skipped[2].reason.hasPrefix("it is for 0 % of the calls, and this"))
        #expect(Self.forward(explanation)?.cluster == "d")
        let without = Self.explain(selector, "/s/m", ["x-a": "1"])
        #expect(without.skipped[1].reason == "the call has no header 'x-b'")
    }

    @Test("finds what calls find, for any headers")
    func sameDecision() throws {
        let routes = (0..<30).map { number in
            Sample.match(to: "c\(number)") { match in
                match.pathSpecifier = .prefix(number % 3 == 0 ? "/s/" : "")
                match.headers = [
                    .with {
                        $0.name = "x-\(number % 5)"
                        $0.headerMatchSpecifier = .exactMatch("\(number % 4)")
                        $0.invertMatch = number % 7 == 0
                    }
                ]
            }
        }
        let selector = try Self.selector(routes)
        for number in 0..<200 {
            var metadata = Metadata()
            for header in 0..<5 where (number >> header) & 1 == 0 {
                metadata.append("\((number + header) % 5)", for: "x-\(header)")
            }
            let path = number % 2 == 0 ? "/s/m" : "/t/m"
            let explained = Self.forward(Self.explain(selector, path, metadata))?.cluster
            let call = CallHeaders(path: path, metadata: metadata)
            var decided: String?
            var random = Draw()
            if case .forward(let end) = selector.table.decide(call, random: &random).decision {
                decided = "\(selector.table.ends[end].cluster)"
            }
            #expect(explained == decided, "\(path) \(metadata)")
        }
    }

    @Test("has the timeout, the retries, the hash, the weights and the filters")
    func settings() throws {
        let route = Sample.action { action in
            action.clusterSpecifier = .weightedClusters(
                .with {
                    $0.clusters = [
                        .with {
                            $0.name = "a"
                            $0.weight = .init(3)
                        },
                        .with {
                            $0.name = "b"
                            $0.weight = .init(1)
                        },
                    ]
                })
            action.maxStreamDuration = .with { $0.maxStreamDuration = .init(seconds: 2) }
            action.retryPolicy = .with {
                $0.retryOn = "unavailable,cancelled"
                $0.numRetries = .init(2)
            }
            action.hashPolicy = [
                .with { $0.policySpecifier = .header(.with { $0.headerName = "x-user" }) }
            ]
        }
        let selector = try Self.selector([route]) {
            $0.httpFilters.insert(Sample.filter("faults", Envoy.Filters.HTTPFault()), at: 0)
        }
        let forward = try #require(
            Self.forward(Self.explain(selector, "/s/m", ["x-user": "ada"])))
        #expect(["a", "b"].contains(forward.cluster))
        #expect(forward.choices.map(\.cluster) == ["a", "b"])
        #expect(forward.choices.map(\.weight) == [3, 1])
        #expect(forward.timeout == .seconds(2))
        #expect(forward.retry?.maxAttempts == 3)
        #expect(forward.retry?.codes == ["CANCELLED", "UNAVAILABLE"])
        #expect(forward.hash.parts == ["the header 'x-user'"])
        let bytes = Array("ada".utf8)
        #expect(forward.hash.value == XXH64.hash(bytes.span))
        #expect(forward.filters.map(\.name) == ["faults"])
        let other = try #require(Self.forward(Self.explain(selector)))
        #expect(other.hash.value == nil)
    }

    @Test("has the endpoints of the cluster, or the message of its calls")
    func endpoints() throws {
        let selector = try Self.selector([Sample.route(to: "a")])
        let message = Sample.endpoints(
            "a",
            [
                Sample.locality("z0", [Sample.endpoint("1.2.3.4")], weight: 5),
                Sample.locality("z1", [Sample.endpoint("::1", 81)], priority: 1),
            ])
        guard case .endpoints(let endpoints)? = Sample.check(message, .endpoints).resource,
            case .cluster(let cluster)? = Sample.check(Sample.cluster("a"), .cluster).resource
        else {
            Issue.record("the samples are not valid")
            return
        }
        let usable = ClusterState.usable(
            ClusterConfiguration(
                cluster: cluster,
                leaves: [
                    LeafCluster(name: "a", cluster: cluster, endpoints: endpoints, note: "old")
                ]))
        let forward = try #require(
            Self.forward(Self.explain(selector, "/s/m", [:], ["a": usable])))
        guard case .clusters(let leaves) = forward.destination else {
            Issue.record("the cluster has endpoints")
            return
        }
        let leaf = try #require(leaves.first)
        #expect(leaf.priorities.map { $0.map(\.name) } == [["z0"], ["z1"]])
        #expect(leaf.priorities[0][0].weight == 5)
        #expect(leaf.priorities[0][0].endpoints.first?.addresses == ["1.2.3.4:80"])
        #expect(leaf.priorities[1][0].endpoints.first?.addresses == ["[::1]:81"])
        #expect(leaf.policy == "round_robin within localities by weight" && leaf.note == "old")
        let failed = Self.explain(selector, "/s/m", [:], ["a": .failed("gone")])
        guard case .failed("gone")? = Self.forward(failed)?.destination else {
            Issue.record("the cluster has failed")
            return
        }
    }

    @Test("says that no route matches, and that a route forwards nothing")
    func noCluster() throws {
        let nothing = try Self.selector([
            Sample.match(to: "a") { $0.pathSpecifier = .path("/a/b") }
        ])
        guard case .noRoute = Self.explain(nothing).outcome else {
            Issue.record("no route matches")
            return
        }
        let other = try Self.selector([
            Sample.route(to: "a") { $0.action = .nonForwardingAction(.init()) }
        ])
        guard case .otherAction(let route) = Self.explain(other).outcome else {
            Issue.record("the route forwards nothing")
            return
        }
        #expect(route.index == 0)
    }

    @Test("puts texts of a control plane into one line of limited length")
    func peerText() throws {
        let evil = "a\n\u{1b}[31m" + String(repeating: "\u{301}", count: 100_000)
        let selector = try Self.selector([
            Sample.match(to: "a") { match in
                match.headers = [
                    .with {
                        $0.name = "x"
                        $0.headerMatchSpecifier = .exactMatch(evil)
                    }
                ]
            }
        ])
        let explanation = Self.explain(selector)
        let condition = try #require(explanation.skipped.first?.route.conditions.last)
        #expect(condition.utf8.count < 1_200)
        #expect(!condition.utf8.contains(0x1b) && !condition.utf8.contains(0x0a))
    }
}
