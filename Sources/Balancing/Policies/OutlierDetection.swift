public import SwiftletCore

/// Ejects endpoints that fail more calls than the others: the policy
/// `outlier_detection_experimental` (A50).
///
/// It counts the results of calls for each endpoint and evaluates them at every interval. For the
/// child policy, the subchannels of an ejected endpoint are in TRANSIENT_FAILURE. It ejects nothing under
/// `PickFirst`, which uses one endpoint at a time, or under another policy that makes its subchannels without
/// health checks.
public struct OutlierDetection: BalancingPolicy {
    /// The time between two evaluations; 10 seconds by default.
    public var interval = Duration.seconds(10)
    /// How long an endpoint is ejected the first time; 30 seconds by default. The second time lasts
    /// twice as long, and so on.
    public var baseEjectionTime = Duration.seconds(30)
    /// The longest ejection; nil, the default, is 300 seconds, or ``baseEjectionTime`` when that is
    /// longer.
    public var maxEjectionTime: Duration?
    /// While at least this percentage of the endpoints is ejected, no other endpoint is ejected; 10
    /// by default. One endpoint can be ejected even if this is 0.
    public var maxEjectionPercent = 10
    /// Ejects endpoints whose success rate is far below the average; nil, the default, does not.
    public var successRateEjection: SuccessRateEjection?
    /// Ejects endpoints that fail more than a fixed part of their calls; nil, the default, does not.
    public var failurePercentageEjection: FailurePercentageEjection?

    private var box: PolicyBox

    /// Makes the policy around another one. It ejects no endpoint unless ``successRateEjection`` or
    /// ``failurePercentageEjection`` is set.
    public init(policy: any BalancingPolicy) { box = PolicyBox(policy: policy) }

    /// How calls are spread over the endpoints that are not ejected.
    public var policy: any BalancingPolicy {
        get { box.policy }
        set { box.policy = newValue }
    }

    public var name: String { "outlier_detection_experimental" }

    public func makeBalancer() -> any Balancer { OutlierDetectionBalancer() }
}

extension OutlierDetection {
    /// The criteria of ejection by success rate (A50).
    public struct SuccessRateEjection: Hashable, Sendable {
        /// How many standard deviations, in thousandths, a success rate may be below the average; 1,900
        /// by default.
        public var stdevFactor = 1_900
        /// The probability that an endpoint that meets the criteria is ejected, in percent; 100 by
        /// default.
        public var enforcementPercentage = 100
        /// The fewest endpoints with ``requestVolume`` calls. With fewer, none is ejected. 5 by
        /// default.
        public var minimumHosts = 5
        /// The fewest calls in an interval for an endpoint to be evaluated; 100 by default.
        public var requestVolume = 100

        /// The defaults.
        public init() {}
    }

    /// The criteria of ejection by failure percentage (A50).
    public struct FailurePercentageEjection: Hashable, Sendable {
        /// An endpoint whose part of failed calls is above this, in percent, meets the criteria; 85
        /// by default.
        public var threshold = 85
        /// The probability that an endpoint that meets the criteria is ejected, in percent; 100 by
        /// default.
        public var enforcementPercentage = 100
        /// The fewest endpoints with ``requestVolume`` calls. With fewer, none is ejected. 5 by
        /// default.
        public var minimumHosts = 5
        /// The fewest calls in an interval for an endpoint to be evaluated; 50 by default.
        public var requestVolume = 50

        /// The defaults.
        public init() {}
    }

    var isActive: Bool { successRateEjection != nil || failurePercentageEjection != nil }

    /// How long an ejection with this multiplier lasts.
    func ejectionTime(multiplier: Int) -> Duration {
        let longest = max(maxEjectionTime ?? .seconds(300), baseEjectionTime)
        guard baseEjectionTime > .zero else { return .zero }
        // The product is computed only if it is below the longest time.
        let isShorter = Double(multiplier) < longest / baseEjectionTime
        return isShorter ? baseEjectionTime * multiplier : longest
    }
}
