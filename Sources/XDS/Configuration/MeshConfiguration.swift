import SwiftletTransport

/// All that the calls of a target need, as it was at one moment (A74). It never has a route to a cluster that is not
/// in it.
struct MeshConfiguration: Hashable, Sendable {
    let listener: Listener
    let virtualHost: VirtualHost
    /// The clusters of the routes, and those that calls still use.
    let clusters: [ByteText: ClusterState]
}

extension MeshConfiguration {
    /// The clusters with settings of TLS.
    var clustersWithTLS: Set<ByteText> {
        var names: Set<ByteText> = []
        for case .usable(let configuration) in clusters.values {
            for leaf in configuration.leaves where leaf.cluster.tls != nil {
                names.insert(leaf.name)
            }
        }
        return names
    }
}

enum ClusterState: Hashable, Sendable {
    case usable(ClusterConfiguration)
    /// The message of the calls that are sent there.
    case failed(String)
    /// The same for a cluster to which no route leads any more. Calls that wait for ready fail, too (A31). They keep the
    /// cluster, and nothing would end their wait.
    case removed(String)
}

struct ClusterConfiguration: Hashable, Sendable {
    let cluster: Cluster
    /// The clusters that have endpoints, the preferred one first: this one alone, or those of an aggregate cluster.
    /// Never empty.
    let leaves: [LeafCluster]
}

/// A cluster that has endpoints.
struct LeafCluster: Hashable, Sendable {
    let name: ByteText
    let cluster: Cluster
    /// Nil if none are known.
    let endpoints: Endpoints?
    /// Why the endpoints, or the resources that lead to them, are not known or not the newest ones; nil if they are.
    let note: String?
}

/// A host name and a port that are looked up for a cluster.
struct ClusterHost: Hashable, Sendable {
    let name: ByteText
    let port: UInt16

    /// All addresses are one endpoint (A37). Nil without an address.
    func endpoints(at addresses: [SocketAddress]) -> Endpoints? {
        guard !addresses.isEmpty else { return nil }
        let endpoint = Endpoints.Endpoint(
            addresses: addresses, weight: 1, state: .unknown,
            hostName: ByteText("\(name.string):\(port)"), hashKey: "")
        let nowhere = Endpoints.Locality(region: "", zone: "", subZone: "")
        return Endpoints(
            priorities: [[Endpoints.Group(locality: nowhere, weight: 1, endpoints: [endpoint])]],
            drops: [])
    }
}
