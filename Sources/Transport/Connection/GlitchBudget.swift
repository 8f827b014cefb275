/// Counts frames that cost work and carry none: every flood is one of these.
///
/// A token bucket. Frames that do carry something earn tokens, because honest peers send control
/// frames along with them (a WINDOW_UPDATE for what we sent, a PING to measure what they sent);
/// a flood earns nothing and runs dry. Time is an argument.
struct GlitchBudget: Sendable {
    private let capacity: Int
    private let perSecond: Int
    private var tokens: Int
    private var refilledAt: MonotonicInstant?

    init(_ limits: Limits) {
        capacity = limits.glitchCount
        perSecond = limits.glitchesPerSecond
        tokens = limits.glitchCount
    }
}

extension GlitchBudget {
    /// Pays for one frame. False when the budget is used up.
    mutating func spend(now: MonotonicInstant) -> Bool {
        if tokens == 0 { refill(now: now) }
        guard tokens > 0 else { return false }
        if refilledAt == nil { refilledAt = now }
        tokens -= 1
        return true
    }

    /// A frame of use was sent or received.
    mutating func earn(_ count: Int) {
        tokens = min(capacity, tokens + count)
    }

    // The clock is looked at only when the tokens have run out: a bucket that fills while nobody
    // looks holds the same as one that is filled all the time.
    private mutating func refill(now: MonotonicInstant) {
        guard let since = refilledAt, now > since else { return }
        let earned = (now - since) / .seconds(1) * Double(perSecond)
        guard earned >= 1 else { return }
        tokens = Int(min(Double(capacity), earned))
        refilledAt = now
    }
}
