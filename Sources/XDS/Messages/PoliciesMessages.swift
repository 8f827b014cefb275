import SwiftletMessages
import SwiftletWellKnown

// Messages of the Envoy API, with the fields that a client of gRPC needs.
extension Envoy.Aggregate {
    /// The clusters of an aggregate cluster.
    struct ClusterConfig: DropsUnknownFields {
        var clusters: [String] = []

        static var messageName: String { "envoy.extensions.clusters.aggregate.v3.ClusterConfig" }

        static let layout = Layout<Self> { field in
            field.string(1, \.clusters)
        }
    }
}

extension Envoy.Policies {
    /// Consistent hashing.
    struct RingHash: DropsUnknownFields {
        var hashFunction = Envoy.Policies.HashFunction()
        var minimumRingSize: Google.Protobuf.UInt64Value?
        var maximumRingSize: Google.Protobuf.UInt64Value?

        static var messageName: String {
            "envoy.extensions.load_balancing_policies.ring_hash.v3.RingHash"
        }

        static let layout = Layout<Self> { field in
            field.enumeration(1, \.hashFunction)
            field.message(2, \.minimumRingSize)
            field.message(3, \.maximumRingSize)
        }
    }

    /// Localities by their weights.
    struct WrrLocality: DropsUnknownFields {
        var endpointPickingPolicy: Envoy.Clusters.LoadBalancingPolicy?

        static var messageName: String {
            "envoy.extensions.load_balancing_policies.wrr_locality.v3.WrrLocality"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.endpointPickingPolicy)
        }
    }

    /// The endpoint with the fewest calls.
    struct LeastRequest: DropsUnknownFields {
        var choiceCount: Google.Protobuf.UInt32Value?

        static var messageName: String {
            "envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.choiceCount)
        }
    }

    /// The first endpoint that can be reached.
    struct PickFirst: DropsUnknownFields {
        var shuffleAddressList = false

        static var messageName: String {
            "envoy.extensions.load_balancing_policies.pick_first.v3.PickFirst"
        }

        static let layout = Layout<Self> { field in
            field.bool(1, \.shuffleAddressList)
        }
    }

    /// Each endpoint in turn.
    struct RoundRobin: DropsUnknownFields {
        static var messageName: String {
            "envoy.extensions.load_balancing_policies.round_robin.v3.RoundRobin"
        }

        static let layout = Layout<Self> { _ in }
    }

    /// Each endpoint in turn, by the load that it reports.
    struct ClientSideWeightedRoundRobin: DropsUnknownFields {
        var enableOOBLoadReport: Google.Protobuf.BoolValue?
        var oobReportingPeriod: Google.Protobuf.Duration?
        var blackoutPeriod: Google.Protobuf.Duration?
        var weightExpirationPeriod: Google.Protobuf.Duration?
        var weightUpdatePeriod: Google.Protobuf.Duration?
        var errorUtilizationPenalty: Google.Protobuf.FloatValue?
        var metricNamesForComputingUtilization: [String] = []

        static var messageName: String {
            "envoy.extensions.load_balancing_policies.client_side_weighted_round_robin.v3.ClientSideWeightedRoundRobin"
        }

        static let layout = Layout<Self> { field in
            field.message(1, \.enableOOBLoadReport)
            field.message(2, \.oobReportingPeriod)
            field.message(3, \.blackoutPeriod)
            field.message(4, \.weightExpirationPeriod)
            field.message(5, \.weightUpdatePeriod)
            field.message(6, \.errorUtilizationPenalty)
            field.string(7, \.metricNamesForComputingUtilization)
        }
    }

    struct HashFunction: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }

        static let defaultHash = HashFunction(rawValue: 0)
        static let xxHash = HashFunction(rawValue: 1)
        static let murmurHash2 = HashFunction(rawValue: 2)

        var name: String? {
            switch rawValue {
            case 0: "DEFAULT_HASH"
            case 1: "XX_HASH"
            case 2: "MURMUR_HASH_2"
            default: nil
            }
        }
    }
}
