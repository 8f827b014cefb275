import SwiftletBalancing
import SwiftletCore
import SwiftletMessages
import SwiftletWellKnown
import Testing

@testable import SwiftletXDS

@Suite("A cluster")
struct ClusterValidationTests {
    private static var context: ValidationContext {
        var context = ValidationContext()
        context.certificateProviders = ["p"]
        return context
    }

    private static func check(
        _ name: String = "c", _ change: (inout Envoy.Clusters.Cluster) -> Void
    ) -> CheckedResource {
        Sample.check(Sample.cluster(name, change), .cluster, context)
    }

    private struct Unexpected: Error { let problem: String }

    private static func value(_ change: (inout Envoy.Clusters.Cluster) -> Void) throws -> Cluster {
        let checked = check("c", change)
        guard case .cluster(let cluster)? = checked.resource else {
            throw Unexpected(problem: checked.problem)
        }
        return cluster
    }

    @Test("of endpoints has the defaults of the proposals")
    func defaults() throws {
        let cluster = try Self.value { _ in }
        #expect(cluster.discovery == .endpoints(try #require(ResourceName("c", of: .endpoints))))
        #expect(cluster.policy == .localities(.roundRobin))
        #expect(
            cluster.outliers == nil && cluster.maxRequests == 1_024 && cluster.loadServer == nil)
        #expect(cluster.sessionStates == [.unknown, .healthy])
        #expect(cluster.idleTimeout == .seconds(3_600))
        #expect(cluster.tls == nil && !cluster.usesProxies)
    }

    private static func makeAggregate(_ message: inout Envoy.Clusters.Cluster) {
        let config = Envoy.Aggregate.ClusterConfig.with { $0.clusters = ["a", "b"] }
        message.clusterDiscoveryType = .clusterType(.with { $0.typedConfig = Sample.any(config) })
    }

    @Test(
        "of other clusters may have any policy, which has no effect (A75)",
        arguments: [
            { $0.lbPolicy = .clusterProvided },
            { $0.loadBalancingPolicy = .with { $0.policies = [Sample.policy(Envoy.Core.Node())] } },
        ] as [@Sendable (inout Envoy.Clusters.Cluster) -> Void])
    func aggregatePolicy(change: @Sendable (inout Envoy.Clusters.Cluster) -> Void) {
        #expect(Self.check { change(&$0) }.resource == nil)
        let aggregate = Self.check { message in
            Self.makeAggregate(&message)
            change(&message)
        }
        #expect(aggregate.problem.isEmpty)
    }

    @Test("can be a name in DNS, or a list of clusters")
    func discovery() throws {
        let dns = try Self.value {
            $0.clusterDiscoveryType = .type(.logicalDns)
            $0.loadAssignment = Sample.endpoints(
                "", [Sample.locality("z", [Sample.endpoint("host", 81)])])
        }
        #expect(dns.discovery == .dns(host: "host", port: 81))
        let aggregate = try Self.value(Self.makeAggregate)
        let names = ["a", "b"].compactMap { ResourceName($0, of: .cluster) }
        #expect(aggregate.discovery == .aggregate(names))
    }

    @Test("uses the first policy that is known")
    func policies() throws {
        func policy(_ policies: [Envoy.Clusters.LoadBalancingPolicy.Policy]) throws -> ClusterPolicy
        {
            try Self.value { $0.loadBalancingPolicy = .with { $0.policies = policies } }.policy
        }
        func own(_ name: String) -> Envoy.XDSTypes.TypedStruct {
            .with {
                $0.typeURL = "type.googleapis.com/\(name)"
                $0.value = ["a": 5]
            }
        }
        BalancingPolicies.register(name: "pkg.Own") { (config) throws(RPCError) in
            LeastRequest(choiceCount: try config.integer("a", in: 2...9) ?? 2)
        }
        let unknown = Sample.policy(Envoy.Core.Node())
        #expect(try policy([unknown, Sample.policy(Envoy.Policies.RoundRobin())]) == .roundRobin)
        #expect(
            try policy([Sample.policy(own("pkg.Other")), Sample.policy(own("pkg.Own"))])
                == .registered(PolicyBox(policy: LeastRequest(choiceCount: 5))))
        #expect(
            try policy([
                Sample.policy(Envoy.Policies.RingHash.with { $0.minimumRingSize = .init(5) })
            ]) == .ringHash(minSize: 5, maxSize: 8_388_608))
        #expect(
            try policy([
                Sample.policy(
                    Envoy.Policies.WrrLocality.with {
                        $0.endpointPickingPolicy = .with {
                            $0.policies = [Sample.policy(Envoy.Policies.LeastRequest())]
                        }
                    })
            ]) == .localities(.leastRequest(choiceCount: 2)))
        #expect(
            try Self.value { $0.lbPolicy = .ringHash }.policy
                == .ringHash(minSize: 1_024, maxSize: 8_388_608))
    }

    @Test("may have policies only up to a depth inside each other")
    func policyDepth() {
        func nested(_ depth: Int) -> Envoy.Clusters.LoadBalancingPolicy {
            var list = Envoy.Clusters.LoadBalancingPolicy.with {
                $0.policies = [Sample.policy(Envoy.Policies.RoundRobin())]
            }
            for _ in 1..<depth {
                let outer = Envoy.Policies.WrrLocality.with { $0.endpointPickingPolicy = list }
                list = .with { $0.policies = [Sample.policy(outer)] }
            }
            return list
        }
        #expect(Self.check { $0.loadBalancingPolicy = nested(16) }.problem.isEmpty)
        #expect(
            Self.check { $0.loadBalancingPolicy = nested(17) }.problem
                .contains("more than 16 policies inside each other"))
    }

    @Test("ejects outliers by success rate unless told not to, and by failures only if told to")
    func outliers() throws {
        let plain = try #require(try Self.value { $0.outlierDetection = .init() }.outliers)
        #expect(plain.successRate == .init() && plain.failurePercentage == nil)
        #expect(plain.interval == .seconds(10) && plain.maxEjectionPercent == 10)
        let other = try #require(
            try Self.value {
                $0.outlierDetection = .with {
                    $0.enforcingSuccessRate = .init(0)
                    $0.enforcingFailurePercentage = .init(7)
                    $0.failurePercentageThreshold = .init(33)
                    $0.interval = .init(seconds: 1)
                }
            }.outliers)
        #expect(other.successRate == nil && other.interval == .seconds(1))
        #expect(other.failurePercentage?.enforcementPercentage == 7)
        #expect(other.failurePercentage?.threshold == 33)
    }

    @Test("takes the first threshold of the default priority; zero drops all")
    func breaker() throws {
        let cluster = try Self.value { message in
            message.circuitBreakers = .with {
                $0.thresholds = [
                    .with { $0.priority = .high },
                    .with { $0.maxRequests = .init(0) }, .with { $0.maxRequests = .init(9) },
                ]
            }
        }
        #expect(cluster.maxRequests == 0)
    }

    private static func tls(
        proxy: Bool = false, _ change: (inout Envoy.TLS.CommonTlsContext) -> Void
    ) -> Envoy.Core.TransportSocket {
        let context = Envoy.TLS.UpstreamTlsContext.with {
            $0.commonTLSContext = .with {
                $0.validationContextType = .validationContext(
                    .with { $0.caCertificateProviderInstance = .with { $0.instanceName = "p" } })
                change(&$0)
            }
            $0.sni = "sni"
        }
        let socket = Envoy.Core.TransportSocket.with {
            $0.configType = .typedConfig(Sample.any(context))
        }
        guard proxy else { return socket }
        let outer = Envoy.HTTP11Proxy.Http11ProxyUpstreamTransport.with {
            $0.transportSocket = socket
        }
        return .with { $0.configType = .typedConfig(Sample.any(outer)) }
    }

    @Test("reads TLS, also inside HTTP CONNECT")
    func tls() throws {
        let cluster = try Self.value {
            $0.transportSocket = Self.tls(proxy: true) {
                $0.tlsCertificateProviderInstance = .with { $0.instanceName = "p" }
                $0.validationContextType = .combinedValidationContext(
                    .with {
                        $0.defaultValidationContext = .with {
                            $0.systemRootCerts = .init()
                            $0.matchSubjectAltNames = [.with { $0.matchPattern = .exact("x") }]
                        }
                    })
            }
        }
        let tls = try #require(cluster.tls)
        #expect(
            cluster.usesProxies && tls.identity == "p" && tls.roots == .system && tls.sni == "sni")
        #expect(tls.names.map { $0.matches(Array("x".utf8)) } == [true])
    }

    @Test("may have other certificates beside those of a provider, which are used")
    func otherCertificates() throws {
        let cluster = try Self.value {
            $0.transportSocket = Self.tls {
                $0.tlsCertificateProviderInstance = .with { $0.instanceName = "p" }
                $0.tlsCertificates = [.init()]
                $0.tlsCertificateSDSSecretConfigs = [.init()]
            }
        }
        #expect(cluster.tls?.identity == "p")
    }

    private static let wrongTLS: [(@Sendable (inout Envoy.TLS.CommonTlsContext) -> Void, String)] =
        [
            ({ $0.tlsParams = .init() }, "tls_params: is not supported"),
            ({ $0.customHandshaker = .init() }, "custom_handshaker: is not supported"),
            ({ $0.tlsCertificates = [.init()] }, "tls_certificates: is not supported"),
            ({ $0.tlsCertificateSDSSecretConfigs = [.init()] }, "sds_secret_configs"),
            ({ $0.validationContextType = nil }, "validation_context: needs ca_certificate"),
            (
                { $0.tlsCertificateProviderInstance = .with { $0.instanceName = "q" } },
                "the bootstrap has no certificate provider 'q'"
            ),
            (
                {
                    $0.validationContextType = .validationContext(
                        .with {
                            $0.systemRootCerts = .init()
                            $0.verifyCertificateSPKI = ["x"]
                            $0.crl = .init()
                            $0.matchSubjectAltNames = [.init()]
                        })
                }, "match_subject_alt_names[0].match_pattern: is required"
            ),
        ]

    @Test(
        "is rejected for TLS that clients do not support",
        arguments: wrongTLS)
    func tlsViolations(
        change: @Sendable (inout Envoy.TLS.CommonTlsContext) -> Void, part: String
    ) {
        let checked = Self.check { $0.transportSocket = Self.tls(change) }
        #expect(checked.resource == nil && checked.problem.contains(part), "\(checked.problem)")
        #expect(checked.problem.hasPrefix("transport_socket.typed_config.common_tls_context."))
    }

    private static let wrong: [(@Sendable (inout Envoy.Clusters.Cluster) -> Void, String)] = [
        ({ $0.clusterDiscoveryType = nil }, "type: 'STATIC' is not supported"),
        (
            { $0.clusterDiscoveryType = .type(.strictDns) },
            "type: 'STRICT_DNS' is not supported"
        ),
        (
            {
                $0.clusterDiscoveryType = .type(.logicalDns)
                $0.loadAssignment = Sample.endpoints(
                    "", [Sample.locality("z", [Sample.endpoint("h\u{301}st", 81)])])
            }, "address: 'h\u{301}st' is no host name"
        ),
        (
            {
                let name = String(repeating: "a", count: 256)
                $0.clusterDiscoveryType = .type(.logicalDns)
                $0.loadAssignment = Sample.endpoints(
                    "", [Sample.locality("z", [Sample.endpoint(name, 81)])])
            }, "is no host name"
        ),
        ({ $0.edsClusterConfig = nil }, "eds_config: must be 'ads' or 'self'"),
        ({ $0.lbPolicy = .maglev }, "lb_policy: 'MAGLEV' is not supported"),
        ({ $0.loadBalancingPolicy = .init() }, "none of 0 policies is known"),
        (
            { $0.loadBalancingPolicy = .with { $0.policies = [.init()] } },
            "typed_config is required"
        ),
        (
            { $0.transportSocketMatches = [.init()] },
            "transport_socket_matches: is not supported"
        ),
        ({ $0.transportSocket = .init() }, "transport_socket.typed_config: is required"),
        ({ $0.lrsServer = Sample.ads }, "lrs_server: must be 'self'"),
        (
            {
                $0.lbConfig = .ringHashLBConfig(.with { $0.minimumRingSize = .init(0) });
                $0.lbPolicy = .ringHash
            },
            "minimum_ring_size: 0 is not from 1 to 8388608"
        ),
        (
            {
                $0.lbConfig = .ringHashLBConfig(
                    .with {
                        $0.minimumRingSize = .init(9)
                        $0.maximumRingSize = .init(8)
                    })
                $0.lbPolicy = .ringHash
            }, "maximum_ring_size: 8 is below minimum_ring_size, 9"
        ),
        (
            {
                $0.lbConfig = .ringHashLBConfig(.with { $0.hashFunction = .murmurHash2 })
                $0.lbPolicy = .ringHash
            }, "hash_function: 'MURMUR_HASH_2' is not supported"
        ),
        (
            {
                $0.lbConfig = .leastRequestLBConfig(.with { $0.choiceCount = .init(1) });
                $0.lbPolicy = .leastRequest
            },
            "choice_count: 1 is not from 2"
        ),
        (
            { $0.outlierDetection = .with { $0.maxEjectionPercent = .init(101) } },
            "max_ejection_percent: 101 is not from 0 to 100"
        ),
        (
            { $0.outlierDetection = .with { $0.interval = .init(seconds: 0, nanos: -1) } },
            "outlier_detection.interval: 0 s and -1 ns"
        ),
        (
            {
                $0.loadBalancingPolicy = .with {
                    $0.policies = [
                        Sample.policy(
                            Envoy.Policies.ClientSideWeightedRoundRobin.with {
                                $0.errorUtilizationPenalty = .init(.nan)
                            })
                    ]
                }
            }, "error_utilization_penalty: nan is no number of 0 or more"
        ),
        (
            {
                $0.clusterDiscoveryType = .clusterType(
                    .with { $0.typedConfig = Sample.any(Envoy.Aggregate.ClusterConfig()) })
            },
            "cluster_type.typed_config.clusters: is empty"
        ),
        (
            {
                $0.clusterDiscoveryType = .type(.logicalDns)
                $0.loadAssignment = Sample.endpoints("", [])
            }, "load_assignment.endpoints: has 0 localities, not 1"
        ),
        (
            {
                $0.clusterDiscoveryType = .type(.logicalDns)
                $0.loadAssignment = Sample.endpoints(
                    "", [Sample.locality("z", [Sample.endpoint("h", 70_000)])])
            }, "port_value: 70000 is not from 0 to 65535"
        ),
    ]

    @Test(
        "is rejected with every violation",
        arguments: wrong)
    func violations(change: @Sendable (inout Envoy.Clusters.Cluster) -> Void, part: String) {
        let checked = Self.check { change(&$0) }
        #expect(checked.resource == nil && checked.problem.contains(part), "\(checked.problem)")
    }

    @Test("with a name of the new form needs a service name")
    func serviceName() {
        let name = "xdstp://a/envoy.config.cluster.v3.Cluster/c"
        #expect(Self.check(name) { _ in }.problem.contains("service_name: is required"))
        let checked = Self.check(name) { $0.edsClusterConfig?.serviceName = "s" }
        #expect(checked.problem.isEmpty)
    }
}
