/// The delay from one attempt to connect to the next (gRPC's connection-backoff.md). It grows
/// exponentially, with jitter, so that the clients of a restarted server do not all connect at the
/// same moment.
package struct Backoff: Sendable {
    struct Configuration: Sendable, Equatable {
        var initial: Duration = .seconds(1)
        var maximum: Duration = .seconds(120)
        var multiplier = 1.6
        /// The largest part of the delay by which jitter lengthens or shortens it, from 0 to 1.
        var jitter = 0.2
    }

    private static let shortest = Duration.milliseconds(1)
    /// Limits that keep each product of a delay and the multiplier within the range of `Duration`. A program can set any
    /// numbers.
    private static let largest = (delay: Duration.seconds(86_400 * 365), multiplier: 1e9)

    private var configuration: Configuration
    /// Without jitter; nil before the first attempt.
    private var current: Duration?
    /// Attempts since the last success.
    private(set) var attemptCount = 0

    /// With the default delays of connection-backoff.md.
    package init() { self.init(Configuration()) }

    init(_ configuration: Configuration) {
        self.configuration = configuration
        // Without a delay, a server that refuses connections would keep the thread busy.
        self.configuration.maximum = min(
            max(configuration.maximum, Self.shortest), Self.largest.delay)
        // An initial delay above the maximum is lowered to the maximum.
        self.configuration.initial = min(
            max(configuration.initial, Self.shortest), self.configuration.maximum)
        let multiplier = configuration.multiplier
        self.configuration.multiplier =
            multiplier > 0 ? min(multiplier, Self.largest.multiplier) : 1
    }
}

extension Backoff {
    /// Begins an attempt. Returns the delay from the beginning of this attempt to the beginning of
    /// the next one, which is needed if this attempt fails.
    ///
    /// - Parameter chance: From 0 to 1: the position in the range that the jitter allows.
    package mutating func next(chance: Double = .chance) -> Duration {
        attemptCount += 1
        let base =
            current.map { min($0 * configuration.multiplier, configuration.maximum) }
            ?? configuration.initial
        current = base
        // From -1 to 1.
        let position: Double = 2 * chance - 1
        return base * (1 + configuration.jitter * position)
    }

    /// The delay after the first failure, without jitter.
    var initialDelay: Duration { configuration.initial }

    /// Starts again with the initial delay, for example because an attempt has succeeded.
    package mutating func reset() {
        current = nil
        attemptCount = 0
    }
}

extension Double {
    /// A random number from 0 to below 1. `random(in:)` would be compiled anew in this module, with all that it needs
    /// of the protocols of numbers.
    package static var chance: Double {
        var generator = SystemRandomNumberGenerator()
        return Double(generator.next() >> 11) * 0x1p-53
    }
}
