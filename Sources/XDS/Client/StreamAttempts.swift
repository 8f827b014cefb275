import SwiftletCore
import SwiftletTransport

/// When the attempts of a stream to a control plane begin.
///
/// A stream that ended after a response begins again at once, unless its attempt began less than the delay of the
/// backoff ago: a server that answers once and then ends each stream would keep the client busy. That delay may have
/// grown while no attempt had a response. The next response ends the delays (A57).
struct StreamAttempts: Sendable {
    private var backoff = Backoff()
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
        backoff.reset()
        return max(now, start + min(delay, .seconds(1)))
    }
}
