import SwiftletMessages
import SwiftletWellKnown

// The messages of envoy.config.endpoint.v3, with the fields that a client of gRPC needs.
extension Envoy.Endpoints {
    /// The endpoints of a cluster.
    struct ClusterLoadAssignment: DropsUnknownFields {
        /// Which calls are dropped.
        struct Policy: DropsUnknownFields {
            /// A part of the calls that is dropped.
            struct DropOverload: DropsUnknownFields {
                var category = ""
                var dropPercentage: Envoy.Types.FractionalPercent?

                static var messageName: String {
                    "envoy.config.endpoint.v3.ClusterLoadAssignment.Policy.DropOverload"
                }

                static let layout = Layout<Self> { field in
                    field.string(1, \.category)
                    field.message(2, \.dropPercentage)
                }
            }

            var dropOverloads: [Envoy.Endpoints.ClusterLoadAssignment.Policy.DropOverload] = []

            static var messageName: String {
                "envoy.config.endpoint.v3.ClusterLoadAssignment.Policy"
            }

            static let layout = Layout<Self> { field in
                field.message(2, \.dropOverloads)
            }
        }

        var clusterName = ""
        var endpoints: [Envoy.Endpoints.LocalityLbEndpoints] = []
        var policy: Envoy.Endpoints.ClusterLoadAssignment.Policy?

        static var messageName: String { "envoy.config.endpoint.v3.ClusterLoadAssignment" }

        static let layout = Layout<Self> { field in
            field.string(1, \.clusterName)
            field.message(2, \.endpoints)
            field.message(4, \.policy)
        }
    }

    /// The endpoints of a locality.
    struct LocalityLbEndpoints: DropsUnknownFields {
        var locality: Envoy.Core.Locality?
        var lbEndpoints: [Envoy.Endpoints.LbEndpoint] = []
        var loadBalancingWeight: Google.Protobuf.UInt32Value?
        var priority: UInt32 = 0
        var metadata: Envoy.Core.Metadata?

        static var messageName: String { "envoy.config.endpoint.v3.LocalityLbEndpoints" }

        static let layout = Layout<Self> { field in
            field.message(1, \.locality)
            field.message(2, \.lbEndpoints)
            field.message(3, \.loadBalancingWeight)
            field.uint32(5, \.priority)
            field.message(9, \.metadata)
        }
    }

    /// An endpoint with its weight.
    struct LbEndpoint: DropsUnknownFields {
        enum HostIdentifier: Hashable, Sendable {
            case endpoint(Envoy.Endpoints.Endpoint)
        }

        var hostIdentifier: HostIdentifier?
        var healthStatus = Envoy.Core.HealthStatus()
        var metadata: Envoy.Core.Metadata?
        var loadBalancingWeight: Google.Protobuf.UInt32Value?

        static var messageName: String { "envoy.config.endpoint.v3.LbEndpoint" }

        static let layout = Layout<Self> { field in
            field.oneof(
                1, \.hostIdentifier, .message(Envoy.Endpoints.Endpoint.self),
                HostIdentifier.endpoint
            ) {
                if case .endpoint(let it) = $0 { it } else { nil }
            }
            field.enumeration(2, \.healthStatus)
            field.message(3, \.metadata)
            field.message(4, \.loadBalancingWeight)
        }
    }

    /// The addresses of a server.
    struct Endpoint: DropsUnknownFields {
        /// Another address of a server.
        struct AdditionalAddress: DropsUnknownFields {
            var address: Envoy.Core.Address?

            static var messageName: String { "envoy.config.endpoint.v3.Endpoint.AdditionalAddress" }

            static let layout = Layout<Self> { field in
                field.message(1, \.address)
            }
        }

        var address: Envoy.Core.Address?
        var hostname = ""
        var additionalAddresses: [Envoy.Endpoints.Endpoint.AdditionalAddress] = []

        static var messageName: String { "envoy.config.endpoint.v3.Endpoint" }

        static let layout = Layout<Self> { field in
            field.message(1, \.address)
            field.string(3, \.hostname)
            field.message(4, \.additionalAddresses)
        }
    }
}
