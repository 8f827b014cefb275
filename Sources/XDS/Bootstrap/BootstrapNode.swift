import SwiftletBalancing
import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown

extension XDS.Bootstrap {
    /// How the program introduces itself.
    struct Node: Hashable, Sendable {
        private(set) var id = ""
        private(set) var cluster = ""
        private(set) var locality: Envoy.Core.Locality?
        private(set) var metadata: Google.Protobuf.Struct?

        init(_ object: ConfigObject?) throws(RPCError) {
            guard let object else { return }
            id = try object.string("id") ?? ""
            cluster = try object.string("cluster") ?? ""
            if let place = try object.object("locality") {
                var locality = Envoy.Core.Locality()
                locality.region = try place.string("region") ?? ""
                locality.zone = try place.string("zone") ?? ""
                locality.subZone = try place.string("sub_zone") ?? ""
                self.locality = locality
            }
            metadata = try object.object("metadata").map {
                Google.Protobuf.Struct(fields: $0.members.mapValues(Google.Protobuf.Value.init))
            }
        }
    }
}

extension XDS.Bootstrap.Node {
    /// The message for a stream of resources.
    var message: Envoy.Core.Node {
        message(clientFeatures: [
            "envoy.lb.does_not_support_overprovisioning", "xds.config.resource-in-sotw",
        ])
    }

    /// The message for a stream of load reports.
    var loadReportMessage: Envoy.Core.Node {
        message(clientFeatures: ["envoy.lrs.supports_send_all_clusters"])
    }

    private func message(clientFeatures: [String]) -> Envoy.Core.Node {
        var node = Envoy.Core.Node()
        node.id = id
        node.cluster = cluster
        node.locality = locality
        node.metadata = metadata
        node.userAgentName = "gRPC Swiftlet"
        node.userAgentVersionType = .userAgentVersion(UserAgent.version)
        node.clientFeatures = clientFeatures
        return node
    }
}
