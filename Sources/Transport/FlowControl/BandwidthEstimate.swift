/// Measures bandwidth × delay of a connection, and from it how large the receive windows ought to
/// be.
///
/// The delay is what a PING takes; one is sent only together with a window update, so it rides
/// along in a write that happens anyway. The bandwidth is what arrives from one window update to
/// the next. A reader that is slow lets go of its windows slowly, so it does not make them grow.
/// Time is an argument.
package struct BandwidthEstimate: Sendable {
    package typealias Instant = MonotonicInstant

    /// What a window update brings with it.
    package struct Advice: Hashable, Sendable {
        /// A PING is to go with the update; its answer is ``BandwidthEstimate/pingAnswered(now:)``.
        package var measuresDelay = false
        /// The new window, when it is to grow.
        package var windowByteCount: Int?
    }

    private enum Delay: Sendable {
        case idle(notBefore: Instant?)
        case measuring(since: Instant)
    }

    private var measurement = Delay.idle(notBefore: nil)
    /// The shortest that was measured lately: a PING that has to wait behind data, or for a busy
    /// thread, says nothing about the path.
    private var delay: Duration?
    private var lastUpdate: Instant?
    /// What has arrived since.
    private var byteCount = 0

    /// The window that is recommended now.
    package private(set) var windowByteCount: Int
    /// No measurement recommends more than this.
    package let limit: Int

    private static let pause = Duration.milliseconds(20)

    package init(initial: Int, limit: Int) {
        windowByteCount = initial
        self.limit = max(initial, limit)
    }
}

extension BandwidthEstimate {
    package mutating func received(_ byteCount: Int) { self.byteCount += byteCount }

    /// Called when a window update goes out.
    package mutating func windowUpdated(now: Instant) -> Advice {
        guard windowByteCount < limit else { return Advice() }
        var advice = Advice()
        if case .idle(let notBefore) = measurement, notBefore.map({ now >= $0 }) ?? true {
            measurement = .measuring(since: now)
            advice.measuresDelay = true
        }
        // The updates of a stream and of the connection go out together; a window is too small
        // when half of it passes, not when there are two that are given back.
        guard byteCount >= windowByteCount / 4 else { return advice }
        defer { (lastUpdate, byteCount) = (now, 0) }
        guard let lastUpdate, let delay else { return advice }
        let elapsed = max(now - lastUpdate, .microseconds(1))
        let product = Double(byteCount) * (delay / elapsed)
        // Updates go out when half is consumed, so twice the product keeps the sender sending if
        // nothing is ever late; twice that for what is.
        if 4 * product > Double(windowByteCount) {
            windowByteCount = min(limit, 2 * windowByteCount)
            advice.windowByteCount = windowByteCount
        }
        return advice
    }

    package mutating func pingAnswered(now: Instant) {
        guard case .measuring(let since) = measurement else { return }
        let sample = now - since
        // A path can become longer: what was measured before counts for a little less each time.
        delay = delay.map { min(sample, $0 + $0 / 8) } ?? sample
        measurement = .idle(notBefore: now + Self.pause)
    }
}
