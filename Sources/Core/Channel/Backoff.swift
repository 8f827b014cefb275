/// How long to wait before the next attempt to connect, after so many that failed: exponential,
/// with jitter, so that clients of a server that comes back do not come all at once.
struct Backoff: Sendable {
    struct Configuration: Sendable, Hashable {
        var initial: Duration = .seconds(1)
        var maximum: Duration = .seconds(120)
        var multiplier = 1.6
        /// The delay is spread by this much in both directions.
        var jitter = 0.2
    }

    private static let shortest = Duration.milliseconds(1)

    private var configuration: Configuration
    /// Without jitter; nil before the first failure.
    private var current: Duration?
    private(set) var failureCount = 0

    init(_ configuration: Configuration) {
        self.configuration = configuration
        // Without a delay a server that refuses would keep the thread busy and be asked for ever.
        self.configuration.maximum = max(configuration.maximum, Self.shortest)
        // An initial delay above the maximum is the maximum, from the first to the last.
        self.configuration.initial = min(
            max(configuration.initial, Self.shortest), self.configuration.maximum)
    }
}

extension Backoff {
    /// The delay after one more failure, counted from the beginning of the attempt that failed.
    ///
    /// - Parameter chance: From 0 to 1: where in the range that the jitter allows.
    mutating func next(chance: Double = .random(in: 0...1)) -> Duration {
        failureCount += 1
        let base =
            current.map { min($0 * configuration.multiplier, configuration.maximum) }
            ?? configuration.initial
        current = base
        let jitter = configuration.jitter
        return base * (1 - jitter + 2 * jitter * chance)
    }

    /// A connection was made.
    mutating func reset() {
        current = nil
        failureCount = 0
    }
}
