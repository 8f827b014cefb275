import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown
import TestSupport
import Testing

@testable import SwiftletXDS

@Suite("A list of endpoints")
struct EndpointsValidationTests {
    private typealias Localities = [Envoy.Endpoints.LocalityLbEndpoints]

    private static func check(_ localities: [Envoy.Endpoints.LocalityLbEndpoints])
        -> CheckedResource
    {
        Sample.check(Sample.endpoints("e", localities), .endpoints)
    }

    private struct Unexpected: Error { let problem: String }

    private static func value(_ message: Envoy.Endpoints.ClusterLoadAssignment) throws -> Endpoints
    {
        let checked = Sample.check(message, .endpoints)
        guard case .endpoints(let endpoints)? = checked.resource else {
            throw Unexpected(problem: checked.problem)
        }
        return endpoints
    }

    @Test("has its localities by priority, whatever their order")
    func priorities() throws {
        let endpoints = try Self.value(
            Sample.endpoints(
                "e",
                [
                    Sample.locality("b", [Sample.endpoint("10.0.0.2")], priority: 1),
                    Sample.locality(
                        "none", [Sample.endpoint("not checked")], weight: 0, priority: 7),
                    Sample.locality("none", [], weight: nil, priority: 9),
                    Sample.locality("a", [Sample.endpoint("::1", 81)], weight: 3),
                ]))
        #expect(endpoints.priorities.map { $0.map(\.locality.zone) } == [["a"], ["b"]])
        #expect(endpoints.priorities[0][0].weight == 3)
        let address = try #require(SocketAddress(host: "::1", port: 81))
        #expect(endpoints.priorities[0][0].endpoints.map(\.addresses) == [[address]])
        #expect(endpoints.priorities[0][0].endpoints[0].weight == 1)
    }

    @Test("keeps healthy, unknown and draining endpoints only")
    func health() throws {
        let statuses: [Envoy.Core.HealthStatus] = [
            .unknown, .healthy, .unhealthy, .draining, .timeout, .degraded, .init(rawValue: 77),
        ]
        let entries = statuses.enumerated().map { index, status in
            Sample.endpoint("10.0.0.\(index)") { $0.healthStatus = status }
        }
        let endpoints = try Self.value(Sample.endpoints("e", [Sample.locality("a", entries)]))
        #expect(
            endpoints.priorities[0][0].endpoints.map(\.state) == [.unknown, .healthy, .draining])
    }

    @Test("bounds the combining marks of hash keys, which balancers compare")
    func hashKeyMarks() throws {
        let entry = Sample.endpoint("10.0.0.1") { entry in
            entry.metadata = .with {
                $0.filterMetadata = [
                    "envoy.lb": ["hash_key": .init(.stringValue(CostlyText.marks))]
                ]
            }
        }
        let endpoints = try Self.value(Sample.endpoints("e", [Sample.locality("a", [entry])]))
        let key = endpoints.priorities[0][0].endpoints[0].hashKey.string
        #expect(!key.isEmpty && WireText.hasBoundedMarks(key))
    }

    @Test("reads names, further addresses, hash keys and drops")
    func details() throws {
        var message = Sample.endpoints(
            "e",
            [
                Sample.locality(
                    "a",
                    [
                        Sample.endpoint("10.0.0.1") { entry in
                            entry.loadBalancingWeight = .init(5)
                            entry.metadata = .with {
                                $0.filterMetadata = ["envoy.lb": ["hash_key": "k"]]
                            }
                            entry.hostIdentifier = .endpoint(
                                .with {
                                    $0.address = Sample.address("10.0.0.1")
                                    $0.hostname = "h"
                                    $0.additionalAddresses = [
                                        .with { $0.address = Sample.address("::2") }
                                    ]
                                })
                        }
                    ])
            ])
        message.policy = .with {
            $0.dropOverloads = [
                .with {
                    $0.category = "x"
                    $0.dropPercentage = .with { $0.numerator = 250 }
                }
            ]
        }
        let endpoints = try Self.value(message)
        let endpoint = endpoints.priorities[0][0].endpoints[0]
        #expect(
            endpoint.addresses.count == 2 && endpoint.hostName == "h" && endpoint.hashKey == "k")
        #expect(endpoint.weight == 5)
        #expect(endpoints.drops == [.init(category: "x", millionths: 1_000_000)])
    }

    @Test("have the proxy of their metadata, or else that of their locality (A86)")
    func proxies() throws {
        let key = "envoy.http11_proxy_transport_socket.proxy_address"
        func metadata(_ message: some Message) -> Envoy.Core.Metadata {
            .with { $0.typedFilterMetadata = [key: Sample.any(message)] }
        }
        func locality(_ own: Envoy.Core.Metadata) -> Envoy.Endpoints.LocalityLbEndpoints {
            var locality = Sample.locality(
                "a",
                [
                    Sample.endpoint("10.0.0.1") { $0.metadata = own },
                    Sample.endpoint("10.0.0.2"),
                ])
            locality.metadata = metadata(Sample.address("10.0.0.9", 3_128))
            return locality
        }
        let own = metadata(Sample.address("::1", 8_080))
        let endpoints = try Self.value(Sample.endpoints("e", [locality(own)]))
        #expect(
            endpoints.priorities[0][0].endpoints.map { $0.proxy?.description }
                == ["http://[::1]:8080", "http://10.0.0.9:3128"])
        // A value of another type does not count, and an address must be one.
        let other = metadata(Envoy.Core.Locality())
        let ignoring = try Self.value(Sample.endpoints("e", [locality(other)]))
        #expect(ignoring.priorities[0][0].endpoints[0].proxy?.host == "10.0.0.9")
        let named = metadata(Sample.address("proxy.test", 80))
        let checked = Sample.check(Sample.endpoints("e", [locality(named)]), .endpoints)
        #expect(checked.resource == nil && checked.problem.contains("proxy_address"))
    }

    @Test("may be empty")
    func empty() throws {
        #expect(try Self.value(Sample.endpoints("e", [])).priorities.isEmpty)
    }

    @Test(
        "is rejected with every violation",
        arguments: [
            (
                [Sample.locality("a", [], priority: 1)],
                "endpoints: a priority below 1 has no locality"
            ),
            (
                [Sample.locality("a", [], priority: .max)],
                "endpoints: a priority below 4294967295 has no locality"
            ),
            (
                [Sample.locality("a", []), Sample.locality("a", [])],
                "endpoints[1].locality: is repeated in priority 0"
            ),
            (
                [Sample.locality("a", [], weight: .max), Sample.locality("b", [], weight: .max)],
                "the sum of the weights in priority 0, 8589934590, is above"
            ),
            (
                [
                    Sample.locality(
                        "a",
                        ["10.0.0.1", "10.0.0.2"].map { address in
                            Sample.endpoint(address) { $0.loadBalancingWeight = .init(.max) }
                        })
                ], "lb_endpoints: the sum of the weights, 8589934590, is above"
            ),
            (
                [
                    Sample.locality(
                        "a", [Sample.endpoint("::1") { $0.loadBalancingWeight = .init(0) }])
                ],
                "endpoints[0].lb_endpoints[0].load_balancing_weight: is 0"
            ),
            (
                [Sample.locality("a", [Sample.endpoint("::1"), Sample.endpoint("::1")])],
                "lb_endpoints[1].address: [::1]:80 is repeated"
            ),
            (
                [
                    Sample.locality("a", [Sample.endpoint("::1")]),
                    Sample.locality("b", [Sample.endpoint("::1")], priority: 1),
                ], "endpoints[1].lb_endpoints[0].address: [::1]:80 is repeated"
            ),
            ([Sample.locality("a", [Sample.endpoint("host")])], "address: 'host' is no IP address"),
            ([Sample.locality("a", [Sample.endpoint("")])], "address: '' is no IP address"),
            ([Sample.locality("a", [Sample.endpoint("1.2.3.4\0")])], "is no IP address"),
            (
                [Sample.locality("a", [Sample.endpoint("::1", 65_536)])],
                "address.port_value: 65536 is not from 0 to 65535"
            ),
            ([Sample.locality("a", [.init()])], "lb_endpoints[0].endpoint: is required"),
            (
                [.with { $0.loadBalancingWeight = .init(1) }], "endpoints[0].locality: is required"
            ),
        ])
    func violations(localities: [Envoy.Endpoints.LocalityLbEndpoints], part: String) {
        let checked = Self.check(localities)
        #expect(checked.resource == nil && checked.problem.contains(part), "\(checked.problem)")
    }
}
