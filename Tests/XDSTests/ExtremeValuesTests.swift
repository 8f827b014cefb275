import SwiftletBalancing
import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown
import TestSupport
import Testing

@testable import SwiftletXDS

/// Values at the ends of their ranges: refused with the field, or used without a trap and in bounded time.
@Suite("An extreme value")
struct ExtremeValuesTests {
    private static let longest = Google.Protobuf.Duration(
        seconds: 315_576_000_000, nanos: 999_999_999)

    /// A channel that has the resources, whose servers are connected.
    private static func mesh(
        _ cluster: Envoy.Clusters.Cluster, _ endpoints: Envoy.Endpoints.ClusterLoadAssignment,
        _ route: Envoy.Routes.Route = Sample.route(to: "c")
    ) throws -> VirtualMesh {
        var mesh = try VirtualMesh(
            XDS.Bootstrap(
                json: """
                    {"xds_servers": [{"server_uri": "s", "channel_creds": [{"type": "insecure"}]}]}
                    """), seed: 1)
        mesh.open(0)
        let all: [(ResourceType, any Message)] = [
            (.listener, Sample.listener("svc")),
            (.routeConfiguration, Sample.routes("routes", [route])), (.cluster, cluster),
            (.endpoints, endpoints),
        ]
        for (type, message) in all {
            let response = Envoy.Discovery.DiscoveryResponse.with {
                $0.typeURL = type.typeURL
                $0.resources = [Sample.any(message)]
            }
            mesh.receive(response.encoded(), from: 0)
        }
        for subchannel in mesh.tree.states.keys { mesh.change(subchannel, to: .connecting) }
        for subchannel in mesh.tree.states.keys { mesh.change(subchannel, to: .ready) }
        #expect(mesh.selector != nil)
        return mesh
    }

    private static func pick(_ mesh: VirtualMesh) throws -> Pick {
        let selector = try #require(mesh.selector)
        let selection = try selector.select(for: "/s/M", Metadata())
        return mesh.tree.picker.pick(
            PickInfo(
                path: "/s/M", requestHash: selection.requestHash,
                attributes: selection.rules?.attributes))
    }

    private static func weighted(
        _ change: (inout Envoy.Policies.ClientSideWeightedRoundRobin) -> Void
    ) -> Envoy.Clusters.LoadBalancingPolicy {
        .with { list in
            list.policies = [
                Sample.policy(Envoy.Policies.ClientSideWeightedRoundRobin.with(change))
            ]
        }
    }

    private static let two = Sample.endpoints(
        "c", [Sample.locality("z", [Sample.endpoint("10.0.0.1"), Sample.endpoint("10.0.0.2")])])

    @Test("of a duration is used", arguments: [Google.Protobuf.Duration(), longest])
    func durations(value: Google.Protobuf.Duration) throws {
        let outliers = Envoy.Clusters.OutlierDetection.with {
            $0.interval = value
            $0.baseEjectionTime = value
            $0.maxEjectionTime = value
            $0.successRateMinimumHosts = .init(0)
            $0.successRateRequestVolume = .init(0)
            $0.enforcingFailurePercentage = .init(100)
            $0.failurePercentageMinimumHosts = .init(.max)
        }
        let cluster = Sample.cluster("c") {
            $0.outlierDetection = outliers
            $0.loadBalancingPolicy = Self.weighted {
                $0.enableOOBLoadReport = .init(true)
                $0.oobReportingPeriod = value
                $0.blackoutPeriod = value
                $0.weightExpirationPeriod = value
                $0.weightUpdatePeriod = value
                $0.errorUtilizationPenalty = .init(.greatestFiniteMagnitude)
            }
            $0.upstreamConfig = .with {
                $0.typedConfig = Sample.any(
                    Envoy.Upstreams.HttpProtocolOptions.with {
                        $0.commonHTTPProtocolOptions = .with { $0.idleTimeout = value }
                    })
            }
        }
        let route = Sample.action(to: "c") {
            $0.maxStreamDuration = .with { $0.maxStreamDuration = value }
            $0.retryPolicy = .with {
                $0.retryOn = "unavailable"
                $0.numRetries = .init(.max)
                $0.retryBackOff = value == .init() ? nil : .with { $0.baseInterval = value }
            }
        }
        var mesh = try Self.mesh(cluster, Self.two, route)
        guard case .subchannel(_, let trackers) = try Self.pick(mesh) else {
            Issue.record("no server is chosen")
            return
        }
        trackers.callEnded(CallOutcome(code: .unavailable))
        let rules = try #require(mesh.selector).select(for: "/s/M", Metadata()).rules
        let config = try #require(rules).config
        #expect((config.timeout == nil) == (value == .init()))
        #expect(config.retry?.maxAttempts == 5)
        // An interval of zero does not wake the channel without a pause.
        let count = mesh.tree.wakeCount
        mesh.advance(by: .milliseconds(100))
        #expect(mesh.tree.wakeCount - count <= 210)
        mesh.close()
        #expect(mesh.timer == nil && mesh.tree.states.isEmpty)
    }

    @Test("of a weight does not take the calls of a small one to zero")
    func weights() throws {
        let localities = [
            Sample.locality("a", [Sample.endpoint("10.0.0.1")], weight: .max - 1),
            Sample.locality(
                "b",
                [
                    Sample.endpoint("10.0.0.2") { $0.loadBalancingWeight = .init(.max - 1) },
                    Sample.endpoint("10.0.0.3"),
                ], weight: 1),
        ]
        for policy in [Envoy.Clusters.LbPolicy.roundRobin, .ringHash, .leastRequest] {
            let cluster = Sample.cluster("c") { $0.lbPolicy = policy }
            var mesh = try Self.mesh(cluster, Sample.endpoints("c", localities))
            #expect(mesh.tree.states.count == 3)
            guard case .subchannel = try Self.pick(mesh) else {
                Issue.record("no server is chosen with \(policy)")
                continue
            }
            mesh.close()
        }
    }

    @Test("of a ring's size is refused, and the largest legal ring has 4,096 entries")
    func rings() throws {
        func cluster(_ min: UInt64, _ max: UInt64) -> Envoy.Clusters.Cluster {
            Sample.cluster("c") {
                $0.lbPolicy = .ringHash
                $0.lbConfig = .ringHashLBConfig(
                    .with {
                        $0.minimumRingSize = .init(min)
                        $0.maximumRingSize = .init(max)
                    })
            }
        }
        for (min, max) in [
            (0, 1), (1, 0), (1, 8_388_609), (8_388_609, 8_388_609), (.max, .max), (2, 1),
        ]
            as [(UInt64, UInt64)]
        {
            let checked = Sample.check(cluster(min, max), .cluster)
            #expect(checked.resource == nil && checked.problem.contains("ring_size"))
        }
        var mesh = try Self.mesh(cluster(8_388_608, 8_388_608), Self.two)
        guard case .subchannel = try Self.pick(mesh) else {
            Issue.record("no server is chosen")
            return
        }
        mesh.close()
    }

    @Test(
        "of a number in a TypedStruct is refused or used, and never a trap",
        arguments: [
            "min_ring_size", "minRingSize", "maxRingSize", "choiceCount", "errorUtilizationPenalty",
            "weightUpdatePeriod", "shuffleAddressList", "interval", "subsetSize",
        ])
    func typedStructs(key: String) throws {
        let numbers: [Double] = [
            .nan, .infinity, -.infinity, .greatestFiniteMagnitude, -1, 0, 1e300, 9.3e18, 0.5,
            .leastNonzeroMagnitude,
        ]
        let names = [
            "round_robin", "pick_first", "weighted_round_robin", "least_request", "ring_hash",
            "priority",
            "weighted_target", "outlier_detection", "random_subsetting",
        ]
        for name in names {
            for number in numbers {
                let structure = Envoy.XDSTypes.TypedStruct.with {
                    $0.typeURL = "type.googleapis.com/" + name
                    $0.value = .init(fields: [key: .init(.numberValue(number))])
                }
                let checked = Sample.check(
                    Sample.cluster("c") {
                        $0.loadBalancingPolicy = .with { $0.policies = [Sample.policy(structure)] }
                    }, .cluster)
                #expect((checked.resource == nil) == !checked.problem.isEmpty)
                #expect(checked.problem.utf8.count < 6_000)
            }
        }
    }

    /// Each has one locality.
    private func priorities(_ count: Int, from first: Int) -> [[Endpoints.Group]] {
        (first..<first + count).map { number in
            [
                Endpoints.Group(
                    locality: Sample.zone(ByteText("\(number)")), weight: 1, endpoints: [])
            ]
        }
    }

    @Test("of a priority costs no array of that size, and very many priorities cost linear time")
    func priorities() {
        // Other localities in the same number of places, and then the first ones in another order.
        var names = PriorityNames()
        let count = 20_000
        let first = names.names(for: priorities(count, from: 0), hasLocalities: true, at: .zero)
        #expect(Set(first).count == count)
        let second = names.names(
            for: priorities(count, from: count), hasLocalities: true, at: .zero)
        #expect(Set(second).isDisjoint(with: first))
        let moved = names.names(
            for: priorities(count, from: count).reversed(), hasLocalities: true, at: .zero)
        #expect(moved.count == count)
        #expect(Set(moved).count == count)
    }

    @Test("of the number of localities that come and go are kept up to a limit, the newest ones")
    func goneLocalities() {
        var names = PriorityNames()
        let limit = PriorityNames.maxGoneLocalityCount
        func update(from first: Int, at time: Int, hasLocalities: Bool = true) -> [String] {
            let groups = priorities(limit, from: first)
            _ = names.names(for: groups, hasLocalities: hasLocalities, at: .seconds(time))
            return groups.map { names.name(of: $0[0].locality) }
        }
        let oldest = update(from: 0, at: 1)
        let next = update(from: limit, at: 2)
        let newest = update(from: 2 * limit, at: 3)
        #expect(names.localities.numbers.count == 2 * limit)
        #expect(update(from: limit, at: 4) == next)
        #expect(update(from: 2 * limit, at: 5) == newest)
        #expect(Set(update(from: 0, at: 6)).isDisjoint(with: oldest))
        _ = update(from: 0, at: 7, hasLocalities: false)
        #expect(names.localities.numbers.isEmpty)
    }

    @Test(
        "of text costs linear time: names, domains, header values and clusters of combining marks")
    func combiningMarks() throws {
        let ratio = CostlyText.ratio { text in
            let routes = Sample.routes(
                text, [Sample.route(prefix: "/" + text, to: text)], domains: [text, "*." + text])
            let checked = Sample.check(routes, .routeConfiguration)
            guard case .routeConfiguration(let value)? = checked.resource else { return }
            _ = value.virtualHost(for: text)
            _ = Sample.check(Sample.listener(text, routes: text), .listener)
            _ = Sample.check(
                Sample.cluster(text) { $0.edsClusterConfig?.serviceName = text }, .cluster)
        }
        #expect(ratio < CostlyText.maxRatio)
    }

    private enum Place: CaseIterable { case policy, field, value }

    @Test("of text in a TypedStruct costs linear time", arguments: Place.allCases)
    private func structuredMarks(place: Place) {
        // Encoded before: to make a dictionary with such a key is costly.
        let clusters = [CostlyText.marks, CostlyText.hiddenMarks, CostlyText.honest].map { text in
            let name = place == .policy ? text : "ring_hash"
            let key = place == .field ? text : "minRingSize"
            let structure = Envoy.XDSTypes.TypedStruct.with {
                $0.typeURL = "type.googleapis.com/" + name
                $0.value = .init(fields: [key: .init(.stringValue(place == .value ? text : ""))])
            }
            let cluster = Sample.cluster("c") {
                $0.loadBalancingPolicy = .with { $0.policies = [Sample.policy(structure)] }
            }
            return (text: ByteText(text), any: Sample.any(cluster))
        }
        let ratio = CostlyText.ratio { text in
            guard let any = clusters.first(where: { $0.text == ByteText(text) })?.any else {
                return
            }
            _ = CheckedResource(any, of: .cluster, .init())
        }
        #expect(ratio < CostlyText.maxRatio)
    }

    @Test("of a name is compared by its bytes")
    func canonicalNames() throws {
        // Equal as Swift's strings, and two names for a control plane.
        let (composed, decomposed) = ("caf\u{e9}", "cafe\u{301}")
        var plane = try VirtualControlPlane()
        plane.watch(1, .cluster, composed)
        plane.watch(2, .cluster, decomposed)
        plane.open()
        #expect(plane.requests.last?.request.resourceNames.count == 2)
        plane.respond(.cluster, "1", [Sample.cluster(decomposed)])
        #expect(plane.texts(of: 1).isEmpty && plane.texts(of: 2) == ["resource"])
    }
}
