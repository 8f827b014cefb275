import SwiftletMessages
import SwiftletTransport

extension Envoy.Endpoints.ClusterStats {
    init(_ counts: LoadCounts, of cluster: CallCount.Key, interval: Duration) {
        self.init()
        clusterName = cluster.cluster.string
        clusterServiceName = cluster.serviceName.string
        loadReportInterval = .init(interval)
        upstreamLocalityStats = counts.places.inOrder { $0.key < $1.key }
            .map { .init($0.value, in: $0.key) }
        totalDroppedRequests = counts.drops.values.reduce(counts.excessDrops, &+)
        for (category, count) in counts.drops.inOrder(by: { $0.key < $1.key }) where count > 0 {
            droppedRequests.append(
                .with {
                    $0.category = category.string
                    $0.droppedCount = count
                })
        }
    }
}

extension Envoy.Endpoints.UpstreamLocalityStats {
    fileprivate init(_ counts: LoadCounts.Place, in locality: Endpoints.Locality) {
        self.init()
        self.locality = .with {
            $0.region = locality.region.string
            $0.zone = locality.zone.string
            $0.subZone = locality.subZone.string
        }
        totalIssuedRequests = counts.issued
        totalSuccessfulRequests = counts.succeeded
        totalErrorRequests = counts.failed
        totalRequestsInProgress = counts.running
        let metrics = counts.metrics
        cpuUtilization = .init(metrics.processor)
        memUtilization = .init(metrics.memory)
        applicationUtilization = .init(metrics.application)
        for (name, metric) in metrics.named.inOrder(by: { $0.key < $1.key }) {
            loadMetricStats.append(
                .with {
                    $0.metricName = "named_metrics." + name.string
                    $0.numRequestsFinishedWithMetric = metric.callCount
                    $0.totalMetricValue = metric.sum
                })
        }
    }
}

extension Endpoints.Locality: Comparable {
    static func < (left: Self, right: Self) -> Bool {
        (left.region, left.zone, left.subZone) < (right.region, right.zone, right.subZone)
    }
}

extension Envoy.Endpoints.UnnamedEndpointLoadMetricStats {
    /// Nil for a metric that no call had.
    fileprivate init?(_ metric: LoadCounts.Metric) {
        guard metric.callCount > 0 else { return nil }
        self.init()
        numRequestsFinishedWithMetric = metric.callCount
        totalMetricValue = metric.sum
    }
}
