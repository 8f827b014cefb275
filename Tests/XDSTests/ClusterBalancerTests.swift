import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import Testing

@testable import SwiftletXDS

@Suite("What is kept of a cluster")
struct ClusterBalancerTests {
    @Test("is forgotten of the parts of an aggregate cluster that are gone")
    func goneParts() throws {
        func leaf(_ name: ByteText) -> LeafCluster {
            Sample.leaf(
                name.string, reportsTo: nil,
                Sample.endpoints(
                    "e", [Sample.locality("z", [Sample.endpoint("10.0.0.1")])]))
        }
        let aggregate = Sample.leaf("all", reportsTo: nil, Sample.endpoints("e", [])) { cluster in
            let config = Envoy.Aggregate.ClusterConfig.with { $0.clusters = ["a", "b"] }
            cluster.clusterDiscoveryType = .clusterType(
                .with { $0.typedConfig = Sample.any(config) })
        }
        let tree = TreeContext(
            node: "n1", providers: [:],
            loads: LoadReports(node: .init(), try CompletionQueue.shared.loop) {
                _ throws(RPCError) in
                throw .noConnection("there are no sockets")
            }, rewritesAuthority: false, hasSessions: false)
        var balancer = ClusterBalancer(tree)
        for number in 1...5 {
            var context = BalancerContext(
                now: .zero, random: { 1 }, makeSubchannel: { _, _ in Subchannel(id: 1) })
            let configuration = ClusterConfiguration(
                cluster: aggregate.cluster, leaves: [leaf("a"), leaf(ByteText("b\(number)"))])
            balancer.update(to: .usable(configuration), tree, &context)
            #expect(balancer.leaves.numbers["a"] == 0)
            #expect(balancer.leaves.numbers.count == 2)
        }
    }

    @Test("is forgotten of the names of endpoints that no balancer keeps")
    func goneNames() throws {
        let settings = UpstreamTLS(
            identity: nil, roots: .system, names: [], sni: "", sendsHostName: true,
            checksSentName: false)
        func endpoint(_ name: ByteText) -> Endpoints.Endpoint {
            Endpoints.Endpoint(
                addresses: [.ipv4Loopback(port: 1)], weight: 1, state: .healthy, hostName: name,
                hashKey: "")
        }
        var security = ClusterSecurity([:])
        security.use(settings)
        let stays = security.security(of: endpoint("stays"))
        // That of an endpoint that is gone, and which a balancer still keeps.
        var kept = security.security(of: endpoint("gone"))
        weak let gone = kept
        for _ in 0..<2 {
            security.use(settings)
            #expect(security.security(of: endpoint("stays")) === stays)
        }
        #expect(security.security(of: endpoint("gone")) === kept)
        kept = nil
        #expect(gone == nil)
        security.use(settings)
        #expect(security.securities.count == 1)
    }
}
