import Swiftlet
import SwiftletLoopback
import SwiftletMessages
import Synchronization

@testable import SwiftletCLI
@testable import SwiftletXDS

/// A control plane that answers each request with all of its resources of the type.
final class SmallControlPlane: Sendable {
    private let server: LoopbackServer

    /// - Parameter json: A list of resources.
    init(_ json: String) throws {
        let entries = try ResourceFile(json).entries
        server = try LoopbackServer { server in
            let method = Method<[UInt8], [UInt8]>(
                "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
                .bidirectional, request: .bytes, reply: .bytes)
            server.bidirectional(method) { requests, replies, _ in
                var names: [String: [String]] = [:]
                for try await bytes in requests {
                    let request = try Envoy.Discovery.DiscoveryRequest(decoding: bytes)
                    let resources = entries.filter { $0.typeURL == request.typeURL }
                    // An acknowledgement or a rejection asks for nothing.
                    guard names[request.typeURL] != request.resourceNames, !resources.isEmpty
                    else { continue }
                    names[request.typeURL] = request.resourceNames
                    let response = Envoy.Discovery.DiscoveryResponse.with { response in
                        response.versionInfo = "1"
                        response.nonce = "n"
                        response.typeURL = request.typeURL
                        response.resources = resources.map { entry in
                            .with {
                                $0.typeURL = entry.typeURL
                                $0.value = entry.bytes
                            }
                        }
                    }
                    try await replies.write(response.encoded())
                }
            }
        }
    }

    deinit { server.shutdown() }

    var bootstrap: String {
        """
        {"xds_servers": [{"server_uri": "\(server.target)", "channel_creds": [{"type": "insecure"}]}],
         "node": {"id": "n1"}}
        """
    }

    /// Two clusters with a server each: `b` for calls of `pay` with a header, and `a` for others.
    static let resources = """
        [{"@type": "type.googleapis.com/envoy.config.listener.v3.Listener", "name": "svc",
          "api_listener": {"api_listener": {
            "@type": "type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager",
            "rds": {"config_source": {"ads": {}}, "route_config_name": "routes"},
            "http_filters": [{"name": "router", "typed_config": {
              "@type": "type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}},
         {"@type": "type.googleapis.com/envoy.config.route.v3.RouteConfiguration", "name": "routes",
          "virtual_hosts": [{"name": "h", "domains": ["*"], "routes": [
            {"match": {"prefix": "/pay.", "headers": [{"name": "x-tenant", "exact_match": "blue"}]},
             "route": {"cluster": "b"}},
            {"match": {"prefix": ""},
             "route": {"cluster": "a", "max_stream_duration": {"max_stream_duration": "1.5s"}}}]}]},
         {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "a", "type": "EDS",
          "eds_cluster_config": {"eds_config": {"ads": {}}}},
         {"@type": "type.googleapis.com/envoy.config.cluster.v3.Cluster", "name": "b", "type": "EDS",
          "eds_cluster_config": {"eds_config": {"self": {}}}},
         {"@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment", "cluster_name": "a",
          "endpoints": [{"locality": {"region": "r", "zone": "z"}, "load_balancing_weight": 1, "lb_endpoints": [
            {"endpoint": {"address": {"socket_address": {"address": "127.0.0.1", "port_value": 8080}}}}]}]},
         {"@type": "type.googleapis.com/envoy.config.endpoint.v3.ClusterLoadAssignment", "cluster_name": "b",
          "endpoints": [{"locality": {"region": "r", "zone": "z"}, "load_balancing_weight": 1, "lb_endpoints": [
            {"endpoint": {"address": {"socket_address": {"address": "127.0.0.2", "port_value": 8080}}}}]}]}]
        """
}
