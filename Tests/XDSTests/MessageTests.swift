import Foundation
import SwiftletDynamic
import SwiftletMessages
import SwiftletWellKnown
import Testing

@testable import SwiftletCLI
@testable import SwiftletXDS

@Suite("The messages of Envoy's API")
struct MessageTests {
    private static func entry<M: Message>(_ type: M.Type) -> (
        String, @Sendable (Schema) -> [String]
    ) {
        (
            M.messageName,
            { schema in
                do throws(SchemaMismatch) {
                    try check(type, against: schema)
                    return []
                } catch {
                    return error.findings
                }
            }
        )
    }

    private static let types: [(name: String, findings: @Sendable (Schema) -> [String])] = [
        entry(Envoy.Discovery.DiscoveryRequest.self),
        entry(Envoy.Discovery.DiscoveryResponse.self),
        entry(Envoy.Discovery.Resource.self),
        entry(Envoy.Discovery.ResourceName.self),
        entry(Envoy.Discovery.ResourceError.self),
        entry(Envoy.Core.Node.self),
        entry(Envoy.Core.Locality.self),
        entry(Envoy.Core.Metadata.self),
        entry(Envoy.Core.Address.self),
        entry(Envoy.Core.SocketAddress.self),
        entry(Envoy.Core.ConfigSource.self),
        entry(Envoy.Core.AggregatedConfigSource.self),
        entry(Envoy.Core.SelfConfigSource.self),
        entry(Envoy.Core.TypedExtensionConfig.self),
        entry(Envoy.Core.TransportSocket.self),
        entry(Envoy.Core.RuntimeFractionalPercent.self),
        entry(Envoy.Core.HttpProtocolOptions.self),
        entry(Envoy.Core.HealthStatusSet.self),
        entry(Envoy.Listeners.Listener.self),
        entry(Envoy.Listeners.ApiListener.self),
        entry(Envoy.ConnectionManager.HttpConnectionManager.self),
        entry(Envoy.ConnectionManager.Rds.self),
        entry(Envoy.ConnectionManager.ScopedRoutes.self),
        entry(Envoy.ConnectionManager.HttpFilter.self),
        entry(Envoy.Routes.RouteConfiguration.self),
        entry(Envoy.Routes.VirtualHost.self),
        entry(Envoy.Routes.Route.self),
        entry(Envoy.Routes.RouteMatch.self),
        entry(Envoy.Routes.QueryParameterMatcher.self),
        entry(Envoy.Routes.HeaderMatcher.self),
        entry(Envoy.Routes.RouteAction.self),
        entry(Envoy.Routes.RouteAction.MaxStreamDuration.self),
        entry(Envoy.Routes.RouteAction.HashPolicy.self),
        entry(Envoy.Routes.RouteAction.HashPolicy.Header.self),
        entry(Envoy.Routes.RouteAction.HashPolicy.FilterState.self),
        entry(Envoy.Routes.WeightedCluster.self),
        entry(Envoy.Routes.WeightedCluster.ClusterWeight.self),
        entry(Envoy.Routes.RetryPolicy.self),
        entry(Envoy.Routes.RetryPolicy.RetryBackOff.self),
        entry(Envoy.Routes.FilterConfig.self),
        entry(Envoy.Routes.ClusterSpecifierPlugin.self),
        entry(Envoy.Routes.NonForwardingAction.self),
        entry(Envoy.Matcher.StringMatcher.self),
        entry(Envoy.Matcher.RegexMatcher.self),
        entry(Envoy.Matcher.RegexMatchAndSubstitute.self),
        entry(Envoy.Types.Int64Range.self),
        entry(Envoy.Types.FractionalPercent.self),
        entry(Envoy.Clusters.Cluster.self),
        entry(Envoy.Clusters.Cluster.TransportSocketMatch.self),
        entry(Envoy.Clusters.Cluster.EdsClusterConfig.self),
        entry(Envoy.Clusters.Cluster.RingHashLbConfig.self),
        entry(Envoy.Clusters.Cluster.LeastRequestLbConfig.self),
        entry(Envoy.Clusters.Cluster.CustomClusterType.self),
        entry(Envoy.Clusters.Cluster.CommonLbConfig.self),
        entry(Envoy.Clusters.LoadBalancingPolicy.self),
        entry(Envoy.Clusters.LoadBalancingPolicy.Policy.self),
        entry(Envoy.Clusters.CircuitBreakers.self),
        entry(Envoy.Clusters.CircuitBreakers.Thresholds.self),
        entry(Envoy.Clusters.OutlierDetection.self),
        entry(Envoy.Endpoints.ClusterLoadAssignment.self),
        entry(Envoy.Endpoints.ClusterLoadAssignment.Policy.self),
        entry(Envoy.Endpoints.ClusterLoadAssignment.Policy.DropOverload.self),
        entry(Envoy.Endpoints.LocalityLbEndpoints.self),
        entry(Envoy.Endpoints.LbEndpoint.self),
        entry(Envoy.Endpoints.Endpoint.self),
        entry(Envoy.Endpoints.Endpoint.AdditionalAddress.self),
        entry(Envoy.Endpoints.ClusterStats.self),
        entry(Envoy.Endpoints.ClusterStats.DroppedRequests.self),
        entry(Envoy.Endpoints.UpstreamLocalityStats.self),
        entry(Envoy.Endpoints.EndpointLoadMetricStats.self),
        entry(Envoy.Endpoints.UnnamedEndpointLoadMetricStats.self),
        entry(Envoy.LoadStats.LoadStatsRequest.self),
        entry(Envoy.LoadStats.LoadStatsResponse.self),
        entry(Envoy.Status.ClientStatusRequest.self),
        entry(Envoy.Matcher.NodeMatcher.self),
        entry(Envoy.Status.ClientStatusResponse.self),
        entry(Envoy.Status.ClientConfig.self),
        entry(Envoy.Status.ClientConfig.GenericXdsConfig.self),
        entry(Envoy.Admin.UpdateFailureState.self),
        entry(Envoy.TLS.UpstreamTlsContext.self),
        entry(Envoy.TLS.CommonTlsContext.self),
        entry(Envoy.TLS.CommonTlsContext.CertificateProviderInstance.self),
        entry(Envoy.TLS.CommonTlsContext.CombinedCertificateValidationContext.self),
        entry(Envoy.TLS.CertificateProviderPluginInstance.self),
        entry(Envoy.TLS.CertificateValidationContext.self),
        entry(Envoy.TLS.CertificateValidationContext.SystemRootCerts.self),
        entry(Envoy.TLS.TlsParameters.self),
        entry(Envoy.TLS.TlsCertificate.self),
        entry(Envoy.TLS.SdsSecretConfig.self),
        entry(Envoy.Core.DataSource.self),
        entry(Envoy.HTTP11Proxy.Http11ProxyUpstreamTransport.self),
        entry(Envoy.Upstreams.HttpProtocolOptions.self),
        entry(Envoy.Aggregate.ClusterConfig.self),
        entry(Envoy.Policies.RingHash.self),
        entry(Envoy.Policies.WrrLocality.self),
        entry(Envoy.Policies.LeastRequest.self),
        entry(Envoy.Policies.PickFirst.self),
        entry(Envoy.Policies.RoundRobin.self),
        entry(Envoy.Policies.ClientSideWeightedRoundRobin.self),
        entry(Envoy.Filters.Router.self),
        entry(Envoy.Filters.HTTPFault.self),
        entry(Envoy.Filters.FaultAbort.self),
        entry(Envoy.Filters.FaultAbort.HeaderAbort.self),
        entry(Envoy.Filters.FaultDelay.self),
        entry(Envoy.Filters.FaultDelay.HeaderDelay.self),
        entry(Envoy.Filters.StatefulSession.self),
        entry(Envoy.Filters.StatefulSessionPerRoute.self),
        entry(Envoy.Filters.CookieBasedSessionState.self),
        entry(Envoy.Types.Cookie.self),
        entry(Envoy.XDSTypes.TypedStruct.self),
        entry(Envoy.UDPATypes.TypedStruct.self),
    ]

    /// Fields that a client does not need are not in the structs.
    private static func isOmission(_ finding: String) -> Bool {
        finding.hasSuffix("is missing; add it")
    }

    /// Tests/XDS/messages sets the variable to a file with the descriptors of PyPI's xds-protos.
    private static let descriptors = ProcessInfo.processInfo.environment["XDS_DESCRIPTORS"]

    @Test(
        "have the fields of their declarations",
        .enabled(if: descriptors != nil, "XDS_DESCRIPTORS is not set: use Tests/XDS/messages"))
    func declarations() throws {
        let path = try #require(Self.descriptors)
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let schema = try Schema(Google.Protobuf.FileDescriptorSet(decoding: bytes))
        for type in Self.types {
            let findings = type.findings(schema).filter { !Self.isOmission($0) }
            #expect(findings.isEmpty, "\(type.name): \(findings.joined(separator: "; "))")
        }
    }

    @Test("have the fields of the source that the command line reads JSON with, and no others")
    func source() throws {
        let files = EnvoySources.files
        let compiler = ProtoCompiler(reading: { files[$0].map { Array($0.utf8) } })
        let schema = try Schema(compiler.compile(files.keys.sorted()))
        // Not parts of resources: the messages of streams.
        let others = [
            "envoy.service.discovery.v3.", "envoy.service.load_stats.", "envoy.service.status.",
            "envoy.admin.", "envoy.config.core.v3.Node", "envoy.config.endpoint.v3.ClusterStats",
            "envoy.config.endpoint.v3.UpstreamLocalityStats", "envoy.type.matcher.v3.NodeMatcher",
            "envoy.config.endpoint.v3.EndpointLoadMetricStats",
            "envoy.config.endpoint.v3.UnnamedEndpointLoadMetricStats",
        ]
        for type in Self.types {
            guard schema.message(type.name) != nil else {
                #expect(others.contains { type.name.hasPrefix($0) }, "\(type.name) is missing")
                continue
            }
            let findings = type.findings(schema)
            #expect(findings.isEmpty, "\(type.name): \(findings.joined(separator: "; "))")
        }
    }

    @Test("are each in the list of this test")
    func list() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/XDS/Messages")
        var declared: [String] = []
        for file in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            declared += text.matches(of: /messageName: String \{\s*"([^"]+)"\s*\}/).map {
                String($0.1)
            }
        }
        #expect(declared.sorted() == Self.types.map(\.name).sorted())
    }

    @Test("decode what a control plane sends")
    func bytes() throws {
        let response = try Envoy.Discovery.DiscoveryResponse(decoding: [
            0x0a, 1, 0x37, 0x12, 5, 0x0a, 1, 0x74, 0x12, 0, 0x22, 1, 0x75, 0x2a, 1, 0x6e,
        ])
        #expect(response.versionInfo == "7" && response.typeURL == "u" && response.nonce == "n")
        #expect(response.resources.map(\.typeURL) == ["t"])
        let match = try Envoy.Routes.RouteMatch(decoding: [0x12, 2, 0x2f, 0x61, 0x22, 0])
        #expect(match.pathSpecifier == .path("/a"))
        #expect(match.caseSensitive?.value == false)
    }

    @Test("encode what a control plane expects")
    func encoding() {
        var request = Envoy.Discovery.DiscoveryRequest()
        request.resourceNames = ["a"]
        request.typeURL = "t"
        #expect(request.encoded() == [0x1a, 1, 0x61, 0x22, 1, 0x74])
    }
}
