import SwiftletBalancing
import SwiftletCore
import SwiftletMessages
import SwiftletTransport

@testable import SwiftletXDS

/// Clusters that report their load, and calls.
extension Sample {
    static func servers(_ count: Int) throws(RPCError) -> [XDS.Bootstrap.Server] {
        let list = (0..<count).map {
            "{\"server_uri\": \"s\($0)\", \"channel_creds\": [{\"type\": \"insecure\"}]}"
        }
        return try XDS.Bootstrap(json: "{\"xds_servers\": [\(list.joined(separator: ","))]}")
            .servers
    }

    /// A cluster that reports its load if there is a server.
    static func leaf(
        _ name: String = "c", reportsTo server: XDS.Bootstrap.Server?,
        _ endpoints: Envoy.Endpoints.ClusterLoadAssignment? = nil,
        _ change: (inout Envoy.Clusters.Cluster) -> Void = { _ in }
    ) -> LeafCluster {
        let message = cluster(name) { message in
            message.lrsServer = server.map { _ in
                .with { $0.configSourceSpecifier = .selfSource(.init()) }
            }
            change(&message)
        }
        let checked = check(message, .cluster, ValidationContext(server: server))
        guard case .cluster(let cluster)? = checked.resource else {
            preconditionFailure("the cluster of a test is not valid: \(checked.problem)")
        }
        var value: Endpoints?
        if let endpoints, case .endpoints(let checked)? = check(endpoints, .endpoints).resource {
            value = checked
        }
        return LeafCluster(name: ByteText(name), cluster: cluster, endpoints: value, note: nil)
    }

    static func load(
        _ name: String = "c", for server: XDS.Bootstrap.Server,
        at now: MonotonicInstant = MonotonicInstant(nanoseconds: 0),
        _ change: (inout Envoy.Clusters.Cluster) -> Void = { _ in }
    ) -> ClusterLoad {
        guard let settings = ClusterLoad.Settings(leaf(name, reportsTo: server, nil, change)) else {
            preconditionFailure("the cluster reports its load")
        }
        return ClusterLoad(settings, at: now)
    }

    static func zone(_ name: ByteText) -> Endpoints.Locality {
        Endpoints.Locality(region: "", zone: name, subZone: "")
    }
}

extension ClusterLoad {
    /// Calls to a zone that have ended.
    func call(_ zone: ByteText = "z", _ codes: StatusCode..., load: LoadReport? = nil) {
        let place = place(Sample.zone(zone))
        for code in codes {
            place.begin()
            place.end(CallOutcome(code: code, load: load))
        }
    }
}
