/// Leaves out endpoints that fail more calls than the others: the policy
/// `outlier_detection_experimental` (A50).
///
/// It counts the results of calls for each endpoint and looks at them at an interval. An endpoint that
/// is left out, "ejected", looks to the inner policy as if its connection had failed. Do not use it
/// around ``PickFirst``, which has one endpoint at a time.
public struct OutlierDetection: BalancingPolicy {
    /// The time between two looks; 10 seconds by default.
    public var interval = Duration.seconds(10)
    /// How long an endpoint is ejected the first time; 30 seconds by default. The second time lasts
    /// twice as long, and so on.
    public var baseEjectionTime = Duration.seconds(30)
    /// The longest ejection; nil, the default, is 300 seconds, or ``baseEjectionTime`` when that is
    /// longer.
    public var maxEjectionTime: Duration?
    /// The largest part of the endpoints that is ejected at the same time, in percent; 10 by default.
    /// One endpoint is ejected whatever the number.
    public var maxEjectionPercent = 10
    /// Ejects endpoints whose success rate is far below the average; nil, the default, does not.
    public var successRateEjection: SuccessRateEjection?
    /// Ejects endpoints that fail more than a fixed part of their calls; nil, the default, does not.
    public var failurePercentageEjection: FailurePercentageEjection?

    private var box: PolicyBox

    /// Makes the policy around another one. Without one of the two ways to eject it does nothing.
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
    /// When the success rate of an endpoint is too low.
    public struct SuccessRateEjection: Hashable, Sendable {
        /// How many standard deviations, in thousandths, a success rate may be below the average; 1,900
        /// by default.
        public var stdevFactor = 1_900
        /// The chance that an endpoint that is found is ejected, in percent; 100 by default.
        public var enforcementPercentage = 100
        /// The fewest endpoints with ``requestVolume`` calls; with less, none is ejected. 5 by default.
        public var minimumHosts = 5
        /// The fewest calls in an interval for an endpoint to be looked at; 100 by default.
        public var requestVolume = 100

        /// The defaults.
        public init() {}
    }

    /// When the part of failed calls of an endpoint is too high.
    public struct FailurePercentageEjection: Hashable, Sendable {
        /// The part of failed calls, in percent, above which an endpoint is found; 85 by default.
        public var threshold = 85
        /// The chance that an endpoint that is found is ejected, in percent; 100 by default.
        public var enforcementPercentage = 100
        /// The fewest endpoints with ``requestVolume`` calls; with less, none is ejected. 5 by default.
        public var minimumHosts = 5
        /// The fewest calls in an interval for an endpoint to be looked at; 50 by default.
        public var requestVolume = 50

        /// The defaults.
        public init() {}
    }

    var isActive: Bool { successRateEjection != nil || failurePercentageEjection != nil }

    /// How long an endpoint is ejected when it is ejected for the n-th time in a row.
    func ejectionTime(multiplier: Int) -> Duration {
        let longest = max(maxEjectionTime ?? .seconds(300), baseEjectionTime)
        guard baseEjectionTime > .zero else { return .zero }
        // The product is only computed where it is below the longest time.
        let isShorter = Double(multiplier) < longest / baseEjectionTime
        return isShorter ? baseEjectionTime * multiplier : longest
    }
}
