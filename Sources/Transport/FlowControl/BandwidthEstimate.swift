/// Measures bandwidth × delay of a connection, and from it how large the receive windows ought to
/// be: what arrives between a PING and its answer is what the path holds.
///
/// A PING is sent only together with a window update, that is, only when half a window has been
/// consumed: then the window may be what limits the sender, and the PING rides along in a write
/// that happens anyway. Time is an argument.
package struct BandwidthEstimate: Sendable {
    package typealias Instant = MonotonicInstant

    private enum State: Sendable {
        case idle(notBefore: Instant?)
        case measuring(since: Instant, byteCount: Int)
    }

    private var state = State.idle(notBefore: nil)
    private var fastest = 0.0
    private var pause = Self.shortestPause

    /// The window that is recommended now.
    package private(set) var windowByteCount: Int
    /// No measurement recommends more than this.
    package let limit: Int

    private static let shortestPause = Duration.milliseconds(20)
    private static let longestPause = Duration.seconds(10)

    package init(initial: Int, limit: Int) {
        windowByteCount = initial
        self.limit = max(initial, limit)
    }
}

extension BandwidthEstimate {
    /// Called when a window update goes out. True when a PING is to go with it.
    package mutating func shouldMeasure(now: Instant) -> Bool {
        guard case .idle(let notBefore) = state, windowByteCount < limit else { return false }
        if let notBefore, now < notBefore { return false }
        state = .measuring(since: now, byteCount: 0)
        return true
    }

    package mutating func received(_ byteCount: Int) {
        guard case .measuring(let since, let sum) = state else { return }
        state = .measuring(since: since, byteCount: sum + byteCount)
    }

    /// The PING came back. Returns the new window when it is to grow.
    package mutating func pingAnswered(now: Instant) -> Int? {
        guard case .measuring(let since, let byteCount) = state else { return nil }
        let seconds = max((now - since) / .seconds(1), 1e-6)
        let bandwidth = Double(byteCount) / seconds
        // The PING left when half the window was on its way, and a peer that answers it before it
        // sends more shows us that half at most: a quarter is enough to say that the window may be
        // what limits it. What is measured swings with the machine's load, so half of the best
        // counts as well: a window that is too large costs less than one that is too small.
        let grows = byteCount * 4 >= windowByteCount && bandwidth > fastest * 0.5
        fastest = max(fastest, bandwidth)
        pause = grows ? Self.shortestPause : min(pause * 2, Self.longestPause)
        state = .idle(notBefore: now + pause)
        guard grows else { return nil }
        windowByteCount = min(limit, max(byteCount, windowByteCount) * 2)
        return windowByteCount
    }
}
