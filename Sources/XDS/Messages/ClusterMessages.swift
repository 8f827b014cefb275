import SwiftletMessages
import SwiftletWellKnown

// The messages of envoy.config.cluster.v3, with the fields that a client of gRPC needs.
extension Envoy.Clusters {
    /// A group of servers.
    struct Cluster: DropsUnknownFields {
        /// A transport socket for some servers; not supported by clients.
        struct TransportSocketMatch: DropsUnknownFields {
            static var messageName: String {
                "envoy.config.cluster.v3.Cluster.TransportSocketMatch"
            }

            static let layout = Layout<Self> { _ in }
        }

        /// Where the endpoints of a cluster are listed.
        struct EdsClusterConfig: DropsUnknownFields {
            var edsConfig: Envoy.Core.ConfigSource?
            var serviceName = ""

            static var messageName: String { "envoy.config.cluster.v3.Cluster.EdsClusterConfig" }

            static let layout = Layout<Self> { field in
                field.message(1, \.edsConfig)
                field.string(2, \.serviceName)
            }
        }

        /// The ring of consistent hashing.
        struct RingHashLbConfig: DropsUnknownFields {
            var minimumRingSize: Google.Protobuf.UInt64Value?
            var hashFunction = Envoy.Clusters.HashFunction()
            var maximumRingSize: Google.Protobuf.UInt64Value?

            static var messageName: String { "envoy.config.cluster.v3.Cluster.RingHashLbConfig" }

            static let layout = Layout<Self> { field in
                field.message(1, \.minimumRingSize)
                field.enumeration(3, \.hashFunction)
                field.message(4, \.maximumRingSize)
            }
        }

        /// How many endpoints are compared.
        struct LeastRequestLbConfig: DropsUnknownFields {
            var choiceCount: Google.Protobuf.UInt32Value?

            static var messageName: String {
                "envoy.config.cluster.v3.Cluster.LeastRequestLbConfig"
            }

            static let layout = Layout<Self> { field in
                field.message(1, \.choiceCount)
            }
        }

        /// A cluster type of an extension.
        struct CustomClusterType: DropsUnknownFields {
            var name = ""
            var typedConfig: Google.Protobuf.AnyMessage?

            static var messageName: String { "envoy.config.cluster.v3.Cluster.CustomClusterType" }

            static let layout = Layout<Self> { field in
                field.string(1, \.name)
                field.message(2, \.typedConfig)
            }
        }

        /// Settings of all policies.
        struct CommonLbConfig: DropsUnknownFields {
            var overrideHostStatus: Envoy.Core.HealthStatusSet?

            static var messageName: String { "envoy.config.cluster.v3.Cluster.CommonLbConfig" }

            static let layout = Layout<Self> { field in
                field.message(8, \.overrideHostStatus)
            }
        }

        enum ClusterDiscoveryType: Hashable, Sendable {
            case type(Envoy.Clusters.DiscoveryType)
            case clusterType(Envoy.Clusters.Cluster.CustomClusterType)
        }

        enum LbConfig: Hashable, Sendable {
            case ringHashLBConfig(Envoy.Clusters.Cluster.RingHashLbConfig)
            case leastRequestLBConfig(Envoy.Clusters.Cluster.LeastRequestLbConfig)
        }

        var name = ""
        var clusterDiscoveryType: ClusterDiscoveryType?
        var edsClusterConfig: Envoy.Clusters.Cluster.EdsClusterConfig?
        var lbPolicy = Envoy.Clusters.LbPolicy()
        var circuitBreakers: Envoy.Clusters.CircuitBreakers?
        var outlierDetection: Envoy.Clusters.OutlierDetection?
        var lbConfig: LbConfig?
        var transportSocket: Envoy.Core.TransportSocket?
        var metadata: Envoy.Core.Metadata?
        var commonLBConfig: Envoy.Clusters.Cluster.CommonLbConfig?
        var loadAssignment: Envoy.Endpoints.ClusterLoadAssignment?
        var loadBalancingPolicy: Envoy.Clusters.LoadBalancingPolicy?
        var lrsServer: Envoy.Core.ConfigSource?
        var transportSocketMatches: [Envoy.Clusters.Cluster.TransportSocketMatch] = []
        var upstreamConfig: Envoy.Core.TypedExtensionConfig?
        var lrsReportEndpointMetrics: [String] = []

        static var messageName: String { "envoy.config.cluster.v3.Cluster" }

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.oneof(
                2, \.clusterDiscoveryType, .enumeration(Envoy.Clusters.DiscoveryType.self),
                ClusterDiscoveryType.type
            ) {
                if case .type(let it) = $0 { it } else { nil }
            }
            field.message(3, \.edsClusterConfig)
            field.enumeration(6, \.lbPolicy)
            field.message(10, \.circuitBreakers)
            field.message(19, \.outlierDetection)
            field.oneof(
                23, \.lbConfig, .message(Envoy.Clusters.Cluster.RingHashLbConfig.self),
                LbConfig.ringHashLBConfig
            ) {
                if case .ringHashLBConfig(let it) = $0 { it } else { nil }
            }
            field.message(24, \.transportSocket)
            field.message(25, \.metadata)
            field.message(27, \.commonLBConfig)
            field.message(33, \.loadAssignment)
            field.oneof(
                37, \.lbConfig, .message(Envoy.Clusters.Cluster.LeastRequestLbConfig.self),
                LbConfig.leastRequestLBConfig
            ) {
                if case .leastRequestLBConfig(let it) = $0 { it } else { nil }
            }
            field.oneof(
                38, \.clusterDiscoveryType, .message(Envoy.Clusters.Cluster.CustomClusterType.self),
                ClusterDiscoveryType.clusterType
            ) {
                if case .clusterType(let it) = $0 { it } else { nil }
            }
            field.message(41, \.loadBalancingPolicy)
            field.message(42, \.lrsServer)
            field.message(43, \.transportSocketMatches)
            field.message(48, \.upstreamConfig)
            field.string(57, \.lrsReportEndpointMetrics)
        }
    }

    /// Policies, the preferred one first.
    struct LoadBalancingPolicy: DropsUnknownFields {
        /// A policy.
        struct Policy: DropsUnknownFields {
            var typedExtensionConfig: Envoy.Core.TypedExtensionConfig?

            static var messageName: String { "envoy.config.cluster.v3.LoadBalancingPolicy.Policy" }

            static let layout = Layout<Self> { field in
                field.message(4, \.typedExtensionConfig)
            }
        }

        var policies: [Envoy.Clusters.LoadBalancingPolicy.Policy] = []

        static var messageName: String { "envoy.config.cluster.v3.LoadBalancingPolicy" }

        static let layout = Layout<Self> { field in
            field.message(1, \.policies)
        }
    }

    /// Limits of a cluster.
    struct CircuitBreakers: DropsUnknownFields {
        /// Limits of a routing priority.
        struct Thresholds: DropsUnknownFields {
            var priority = Envoy.Core.RoutingPriority()
            var maxRequests: Google.Protobuf.UInt32Value?

            static var messageName: String { "envoy.config.cluster.v3.CircuitBreakers.Thresholds" }

            static let layout = Layout<Self> { field in
                field.enumeration(1, \.priority)
                field.message(4, \.maxRequests)
            }
        }

        var thresholds: [Envoy.Clusters.CircuitBreakers.Thresholds] = []

        static var messageName: String { "envoy.config.cluster.v3.CircuitBreakers" }

        static let layout = Layout<Self> { field in
            field.message(1, \.thresholds)
        }
    }

    /// When endpoints are ejected.
    struct OutlierDetection: DropsUnknownFields {
        var interval: Google.Protobuf.Duration?
        var baseEjectionTime: Google.Protobuf.Duration?
        var maxEjectionPercent: Google.Protobuf.UInt32Value?
        var enforcingSuccessRate: Google.Protobuf.UInt32Value?
        var successRateMinimumHosts: Google.Protobuf.UInt32Value?
        var successRateRequestVolume: Google.Protobuf.UInt32Value?
        var successRateStdevFactor: Google.Protobuf.UInt32Value?
        var failurePercentageThreshold: Google.Protobuf.UInt32Value?
        var enforcingFailurePercentage: Google.Protobuf.UInt32Value?
        var failurePercentageMinimumHosts: Google.Protobuf.UInt32Value?
        var failurePercentageRequestVolume: Google.Protobuf.UInt32Value?
        var maxEjectionTime: Google.Protobuf.Duration?

        static var messageName: String { "envoy.config.cluster.v3.OutlierDetection" }

        static let layout = Layout<Self> { field in
            field.message(2, \.interval)
            field.message(3, \.baseEjectionTime)
            field.message(4, \.maxEjectionPercent)
            field.message(6, \.enforcingSuccessRate)
            field.message(7, \.successRateMinimumHosts)
            field.message(8, \.successRateRequestVolume)
            field.message(9, \.successRateStdevFactor)
            field.message(16, \.failurePercentageThreshold)
            field.message(17, \.enforcingFailurePercentage)
            field.message(19, \.failurePercentageMinimumHosts)
            field.message(20, \.failurePercentageRequestVolume)
            field.message(21, \.maxEjectionTime)
        }
    }

    struct DiscoveryType: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }

        static let `static` = DiscoveryType(rawValue: 0)
        static let strictDns = DiscoveryType(rawValue: 1)
        static let logicalDns = DiscoveryType(rawValue: 2)
        static let eds = DiscoveryType(rawValue: 3)
        static let originalDst = DiscoveryType(rawValue: 4)

        var name: String? {
            switch rawValue {
            case 0: "STATIC"
            case 1: "STRICT_DNS"
            case 2: "LOGICAL_DNS"
            case 3: "EDS"
            case 4: "ORIGINAL_DST"
            default: nil
            }
        }
    }

    struct LbPolicy: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }

        static let roundRobin = LbPolicy(rawValue: 0)
        static let leastRequest = LbPolicy(rawValue: 1)
        static let ringHash = LbPolicy(rawValue: 2)
        static let random = LbPolicy(rawValue: 3)
        static let maglev = LbPolicy(rawValue: 5)
        static let clusterProvided = LbPolicy(rawValue: 6)
        static let loadBalancingPolicyConfig = LbPolicy(rawValue: 7)

        var name: String? {
            switch rawValue {
            case 0: "ROUND_ROBIN"
            case 1: "LEAST_REQUEST"
            case 2: "RING_HASH"
            case 3: "RANDOM"
            case 5: "MAGLEV"
            case 6: "CLUSTER_PROVIDED"
            case 7: "LOAD_BALANCING_POLICY_CONFIG"
            default: nil
            }
        }
    }

    struct HashFunction: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }

        static let xxHash = HashFunction(rawValue: 0)
        static let murmurHash2 = HashFunction(rawValue: 1)

        var name: String? {
            switch rawValue {
            case 0: "XX_HASH"
            case 1: "MURMUR_HASH_2"
            default: nil
            }
        }
    }
}

extension Envoy.Core {
    struct RoutingPriority: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }

        static let `default` = RoutingPriority(rawValue: 0)
        static let high = RoutingPriority(rawValue: 1)

        var name: String? {
            switch rawValue {
            case 0: "DEFAULT"
            case 1: "HIGH"
            default: nil
            }
        }
    }
}
