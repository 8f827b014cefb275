import SwiftletBalancing
import SwiftletCore

/// A checked cluster.
struct Cluster: Hashable, Sendable {
    enum Discovery: Hashable, Sendable {
        /// The endpoints are a resource of this name.
        case endpoints(ResourceName)
        case dns(host: ByteText, port: UInt16)
        /// Other clusters, the preferred one first.
        case aggregate([ResourceName])
    }

    struct Outliers: Hashable, Sendable {
        var interval = Duration.seconds(10)
        var baseEjectionTime = Duration.seconds(30)
        var maxEjectionTime: Duration?
        var maxEjectionPercent = 10
        var successRate: OutlierDetection.SuccessRateEjection?
        var failurePercentage: OutlierDetection.FailurePercentageEjection?
    }

    let discovery: Discovery
    /// The `service_name` of the endpoints; empty if the cluster does not set it.
    let serviceName: ByteText
    /// Has no effect for an aggregate cluster.
    let policy: ClusterPolicy
    let outliers: Outliers?
    /// The most calls at the same time.
    let maxRequests: UInt32
    /// The control plane that gets load reports: the one that has sent the cluster. Nil if it does not want them.
    let loadServer: XDS.Bootstrap.Server?
    let reportedMetrics: ReportedMetrics
    /// The states of the endpoints to which a session may stick.
    let sessionStates: EndpointStates
    /// After how much time without a call of a session a connection is closed that only sessions need (A75).
    let idleTimeout: Duration
    /// Nil for the channel's own credentials.
    let tls: UpstreamTLS?
    /// Whether connections go through HTTP CONNECT, for endpoints with a proxy (A86).
    let usesProxies: Bool
}

/// States of endpoints.
struct EndpointStates: OptionSet, Hashable, Sendable {
    let rawValue: Int

    static let unknown = EndpointStates(rawValue: 1)
    static let healthy = EndpointStates(rawValue: 2)
    static let draining = EndpointStates(rawValue: 4)
}

/// How the calls of a cluster are spread.
indirect enum ClusterPolicy: Hashable, Sendable {
    /// Localities by their weights, and another policy in each.
    case localities(ClusterPolicy)
    case roundRobin
    case pickFirst(shuffles: Bool)
    case leastRequest(choiceCount: Int)
    case ringHash(minSize: Int, maxSize: Int)
    case weightedRoundRobin(WeightedSettings)
    /// A policy by its name in service configs, such as one that the program has registered.
    case registered(PolicyBox)

    /// Nil for the default of the policy.
    struct WeightedSettings: Hashable, Sendable {
        var usesOutOfBandReports = false
        var reportingPeriod: Duration?
        var blackoutPeriod: Duration?
        var expirationPeriod: Duration?
        var updatePeriod: Duration?
        var errorPenalty: Double?
        var utilizationMetrics: [ByteText] = []
    }
}

/// TLS towards the servers of a cluster (A29).
struct UpstreamTLS: Hashable, Sendable {
    enum Roots: Hashable, Sendable {
        /// A certificate provider of the bootstrap.
        case provider(ByteText)
        case system
    }

    /// The certificate provider of the client's own certificate.
    let identity: ByteText?
    let roots: Roots
    /// One must match a name of the certificate. Empty: any certificate that the roots trust.
    let names: [TextMatcher]
    let sni: ByteText
    /// Whether the host name of the endpoint is sent instead (A101).
    let sendsHostName: Bool
    /// Whether the certificate must be valid for the sent name instead of `names` (A101).
    let checksSentName: Bool
}
