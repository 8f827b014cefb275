import SwiftletMessages

// The messages of envoy.config.endpoint.v3, envoy.service.load_stats.v3, with the fields that a client of gRPC needs.
extension Envoy.Endpoints {
    /// What happened to the calls of a cluster.
    struct ClusterStats: DropsUnknownFields {
        /// Calls that were dropped.
        struct DroppedRequests: DropsUnknownFields {
            var category = ""
            var droppedCount: UInt64 = 0

            static var messageName: String {
                "envoy.config.endpoint.v3.ClusterStats.DroppedRequests"
            }

            static let layout = Layout<Self> { field in
                field.string(1, \.category)
                field.uint64(2, \.droppedCount)
            }
        }

        var clusterName = ""
        var upstreamLocalityStats: [Envoy.Endpoints.UpstreamLocalityStats] = []
        var totalDroppedRequests: UInt64 = 0
        var loadReportInterval: Google.Protobuf.Duration?
        var droppedRequests: [Envoy.Endpoints.ClusterStats.DroppedRequests] = []
        var clusterServiceName = ""

        static var messageName: String { "envoy.config.endpoint.v3.ClusterStats" }

        static let layout = Layout<Self> { field in
            field.string(1, \.clusterName)
            field.message(2, \.upstreamLocalityStats)
            field.uint64(3, \.totalDroppedRequests)
            field.message(4, \.loadReportInterval)
            field.message(5, \.droppedRequests)
            field.string(6, \.clusterServiceName)
        }
    }

    /// What happened to the calls of a locality.
    struct UpstreamLocalityStats: DropsUnknownFields {
        var locality: Envoy.Core.Locality?
        var totalSuccessfulRequests: UInt64 = 0
        var totalRequestsInProgress: UInt64 = 0
        var totalErrorRequests: UInt64 = 0
        var loadMetricStats: [Envoy.Endpoints.EndpointLoadMetricStats] = []
        var totalIssuedRequests: UInt64 = 0
        var cpuUtilization: Envoy.Endpoints.UnnamedEndpointLoadMetricStats?
        var memUtilization: Envoy.Endpoints.UnnamedEndpointLoadMetricStats?
        var applicationUtilization: Envoy.Endpoints.UnnamedEndpointLoadMetricStats?

        static var messageName: String { "envoy.config.endpoint.v3.UpstreamLocalityStats" }

        static let layout = Layout<Self> { field in
            field.message(1, \.locality)
            field.uint64(2, \.totalSuccessfulRequests)
            field.uint64(3, \.totalRequestsInProgress)
            field.uint64(4, \.totalErrorRequests)
            field.message(5, \.loadMetricStats)
            field.uint64(8, \.totalIssuedRequests)
            field.message(12, \.cpuUtilization)
            field.message(13, \.memUtilization)
            field.message(14, \.applicationUtilization)
        }
    }

    /// The sum of a metric that servers report.
    struct EndpointLoadMetricStats: DropsUnknownFields {
        var metricName = ""
        var numRequestsFinishedWithMetric: UInt64 = 0
        var totalMetricValue: Double = 0

        static var messageName: String { "envoy.config.endpoint.v3.EndpointLoadMetricStats" }

        static let layout = Layout<Self> { field in
            field.string(1, \.metricName)
            field.uint64(2, \.numRequestsFinishedWithMetric)
            field.double(3, \.totalMetricValue)
        }
    }

    /// The sum of a metric with a field of its own.
    struct UnnamedEndpointLoadMetricStats: DropsUnknownFields {
        var numRequestsFinishedWithMetric: UInt64 = 0
        var totalMetricValue: Double = 0

        static var messageName: String { "envoy.config.endpoint.v3.UnnamedEndpointLoadMetricStats" }

        static let layout = Layout<Self> { field in
            field.uint64(1, \.numRequestsFinishedWithMetric)
            field.double(2, \.totalMetricValue)
        }
    }
}

extension Envoy.LoadStats {
    /// A load report.
    struct LoadStatsRequest: DropsUnknownFields {
        var node: Envoy.Core.Node?
        var clusterStats: [Envoy.Endpoints.ClusterStats] = []

        static var messageName: String { "envoy.service.load_stats.v3.LoadStatsRequest" }

        static let layout = Layout<Self> { field in
            field.message(1, \.node)
            field.message(2, \.clusterStats)
        }
    }

    /// Which load reports the server wants.
    struct LoadStatsResponse: DropsUnknownFields {
        var clusters: [String] = []
        var loadReportingInterval: Google.Protobuf.Duration?
        var sendAllClusters = false

        static var messageName: String { "envoy.service.load_stats.v3.LoadStatsResponse" }

        static let layout = Layout<Self> { field in
            field.string(1, \.clusters)
            field.message(2, \.loadReportingInterval)
            field.bool(4, \.sendAllClusters)
        }
    }
}
