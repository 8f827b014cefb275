import SwiftletTransport

/// When the attempts of a stream to a control plane begin.
///
/// A stream that ended after a response begins again at once, unless its attempt began less than the delay of the
/// backoff ago: a server that answers once and then ends each stream would keep the client busy. That delay may have
/// grown while no attempt had a response. The next response ends the delays (A57).
struct StreamAttempts: Sendable {
    private var backoff = StreamBackoff()
    private var start: MonotonicInstant
    private var delay: Duration
    /// Whether the last attempt had no response.
    private var lastHasFailed = false

    /// Begins the first attempt.
    ///
    /// - Parameter chance: Between 0 and 1, for the jitter.
    init(at now: MonotonicInstant, chance: Double) {
        start = now
        delay = backoff.next(chance: chance)
    }

    mutating func begin(at now: MonotonicInstant, chance: Double) {
        start = now
        delay = backoff.next(chance: chance)
    }

    /// Ends the attempt. Returns when the next one begins.
    mutating func end(hasResponded: Bool, at now: MonotonicInstant) -> MonotonicInstant {
        defer { lastHasFailed = !hasResponded }
        let end = start + delay
        guard hasResponded, now >= end || lastHasFailed else { return max(now, end) }
        backoff = StreamBackoff()
        return max(now, start + min(delay, .seconds(1)))
    }
}

/// The delays between attempts: 1 s, then 1.6 times as long each time, up to 120 s, each changed by up to 20 %.
private struct StreamBackoff: Sendable {
    private var base: Duration?

    mutating func next(chance: Double) -> Duration {
        let base = base.map { min($0 * 1.6, .seconds(120)) } ?? .seconds(1)
        self.base = base
        return base * (0.8 + 0.4 * chance)
    }
}
