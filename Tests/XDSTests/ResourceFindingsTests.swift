import SwiftletMessages
import SwiftletWellKnown
import Testing

@testable import SwiftletXDS

@Suite("The check of a resource without a control plane")
struct ResourceFindingsTests {
    private static func findings(_ any: Google.Protobuf.AnyMessage) -> XDS.ResourceFindings {
        XDS.findings(inResource: any.typeURL, any.value, nil)
    }

    @Test("has each problem with its path, and the name")
    func problems() {
        let bad = Sample.cluster("a") {
            $0.lbPolicy = .maglev
            $0.outlierDetection = .with { $0.maxEjectionPercent = .init(101) }
        }
        let findings = Self.findings(Sample.any(bad))
        #expect(findings.type == "envoy.config.cluster.v3.Cluster" && findings.name == "a")
        #expect(findings.problems.count == 2)
        #expect(findings.problems.contains("lb_policy: 'MAGLEV' is not supported"))
        #expect(Self.findings(Sample.any(Sample.cluster("a"))).problems == [])
    }

    @Test("looks into a wrapper, and refuses other types")
    func types() {
        let wrapper = Envoy.Discovery.Resource.with {
            $0.name = "b"
            $0.resource = Sample.any(Sample.cluster("a"))
        }
        #expect(Self.findings(Sample.any(wrapper)).name == "b")
        #expect(Self.findings(Sample.any(wrapper)).problems == [])
        let other = Self.findings(Sample.any(Envoy.Core.Locality()))
        #expect(other.problems.first?.hasPrefix("the type is not one of the resources") == true)
        #expect(Self.findings(.init()).problems.count == 1)
    }

    @Test("accepts any certificate provider if the bootstrap is not known")
    func providers() throws {
        let context = Envoy.TLS.UpstreamTlsContext.with {
            $0.commonTLSContext = .with {
                $0.validationContextType = .validationContext(
                    .with { $0.caCertificateProviderInstance = .with { $0.instanceName = "p" } })
            }
        }
        let cluster = Sample.cluster("a") {
            $0.transportSocket = .with {
                $0.name = "envoy.transport_sockets.tls"
                $0.configType = .typedConfig(Sample.any(context))
            }
        }
        let any = Sample.any(cluster)
        #expect(Self.findings(any).problems == [])
        let bootstrap = try XDS.Bootstrap(
            json: """
                {"xds_servers": [{"server_uri": "s", "channel_creds": [{"type": "insecure"}]}]}
                """)
        let problems = XDS.findings(inResource: any.typeURL, any.value, bootstrap).problems
        #expect(problems.count == 1 && problems[0].contains("no certificate provider 'p'"))
    }
}
