import Synchronization

/// Counts the failures and successes of all calls to one server name, and stops retries and hedging
/// while too many calls fail (A6).
///
/// The count is kept in thousandths of a token. Each change is one atomic step.
package final class RetryThrottle: Sendable {
    private static let scale = 1_000

    let configuration: RetryThrottling
    private let limit: Int
    private let gain: Int
    private let count: Atomic<Int>

    /// - Parameter fill: The part of the tokens that the count starts with, from 0 to 1.
    init(_ configuration: RetryThrottling, fill: Double = 1) {
        self.configuration = configuration
        limit = min(max(configuration.maxTokens, 1), 1_000) * Self.scale
        gain = configuration.tokenRatioInThousandths
        count = Atomic(Int((Double(limit) * fill).rounded()))
    }
}

extension RetryThrottle {
    /// Takes one token. Returns whether retries are still allowed.
    package func recordFailure() -> Bool {
        change { max($0 - Self.scale, 0) } > limit / 2
    }

    /// Gives `tokenRatio` tokens back.
    package func recordSuccess() { _ = change { min($0 + gain, limit) } }

    /// Whether the count is above half of the tokens.
    package var allowsRetries: Bool { count.load(ordering: .relaxed) > limit / 2 }

    /// The throttle for a new configuration. If the configuration is unchanged, returns this
    /// throttle. Otherwise returns a new one with the same fraction of its tokens.
    func adopting(_ configuration: RetryThrottling) -> RetryThrottle {
        guard configuration != self.configuration else { return self }
        let fill = Double(count.load(ordering: .relaxed)) / Double(limit)
        return RetryThrottle(configuration, fill: fill)
    }

    private func change(_ body: (Int) -> Int) -> Int {
        var old = count.load(ordering: .relaxed)
        while true {
            let new = body(old)
            let (exchanged, original) = count.weakCompareExchange(
                expected: old, desired: new, ordering: .relaxed)
            if exchanged { return new }
            old = original
        }
    }
}

extension RetryThrottling {
    /// The ratio in thousandths, rounded down: 546 for 0.5466. 0 for a ratio that is negative or
    /// not a number.
    package var tokenRatioInThousandths: Int {
        // 0.57 × 1,000 is 569.999… in floating point.
        let thousandths = (tokenRatio * 1_000 + 1e-6).rounded(.down)
        guard thousandths > 0 else { return 0 }
        return Int(min(thousandths, 1_000_000))
    }
}
