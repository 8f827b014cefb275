/// The delay from one attempt to connect to the next (gRPC's connection-backoff.md). It grows
/// exponentially, with jitter, so that the clients of a server that comes back do not all connect at
/// the same moment.
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
    /// Without jitter; nil before the first attempt.
    private var current: Duration?
    /// Attempts since the last success.
    private(set) var attemptCount = 0

    init(_ configuration: Configuration) {
        self.configuration = configuration
        // Without a delay, a server that refuses connections would keep the thread busy.
        self.configuration.maximum = max(configuration.maximum, Self.shortest)
        // An initial delay above the maximum is the maximum, from the first to the last.
        self.configuration.initial = min(
            max(configuration.initial, Self.shortest), self.configuration.maximum)
    }
}

extension Backoff {
    /// Begins an attempt. Returns the delay from its beginning to that of the next one, should it
    /// fail.
    ///
    /// - Parameter chance: From 0 to 1: the place in the range that the jitter allows.
    mutating func next(chance: Double = .random(in: 0...1)) -> Duration {
        attemptCount += 1
        let base =
            current.map { min($0 * configuration.multiplier, configuration.maximum) }
            ?? configuration.initial
        current = base
        let jitter = configuration.jitter
        return base * (1 - jitter + 2 * jitter * chance)
    }

    /// A connection carried a stream, or lived for the initial delay.
    mutating func reset() {
        current = nil
        attemptCount = 0
    }
}
