import SwiftletTransport

/// When the attempts of a stream to a control plane begin.
///
/// A stream that ended after a response begins again at once, unless its attempt began less than the delay of the
/// backoff ago: a server that answers once and then ends each stream would keep the client busy.
struct StreamAttempts: Sendable {
    private var backoff = StreamBackoff()
    private var start: MonotonicInstant
    private var delay: Duration

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
        let end = start + delay
        guard hasResponded, now >= end else { return max(now, end) }
        backoff = StreamBackoff()
        return now
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
