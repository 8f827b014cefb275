/// Limits glitches: frames that cause work and carry no content, as in a PING or SETTINGS flood.
///
/// It is a token bucket. A glitch costs a token. Content earns tokens, because a correct peer sends
/// control frames together with content: WINDOW_UPDATE for received bytes, PING to measure the
/// path. Received content earns tokens by its bytes, so that tiny frames earn almost nothing. Time
/// is an argument.
struct GlitchBudget: Sendable {
    private let capacity: Int
    private let perSecond: Int
    private var tokens: Int
    private var refilledAt: MonotonicInstant?
    /// Bytes of content that have not earned a token yet.
    private var contentByteCount = 0
    /// Discarded bytes that have not cost a token yet.
    private var discardedByteCount = 0

    init(_ limits: Limits) {
        capacity = limits.glitchCount
        perSecond = limits.glitchesPerSecond
        tokens = limits.glitchCount
    }
}

extension GlitchBudget {
    /// Spends tokens. Returns false when there are not enough.
    mutating func spend(_ count: Int = 1, now: MonotonicInstant) -> Bool {
        if tokens < count { refill(now: now) }
        guard tokens >= count else { return false }
        if refilledAt == nil { refilledAt = now }
        tokens -= count
        return true
    }

    /// Spends tokens for discarded bytes. Returns false when there are not enough.
    mutating func spend(discarding byteCount: Int, now: MonotonicInstant) -> Bool {
        discardedByteCount += byteCount
        let count = discardedByteCount / Limits.discardedByteCountPerGlitch
        guard count > 0 else { return true }
        discardedByteCount %= Limits.discardedByteCountPerGlitch
        return spend(count, now: now)
    }

    /// Earns tokens, up to the capacity.
    mutating func earn(_ count: Int) {
        tokens = min(capacity, tokens + count)
    }

    /// Earns tokens for received content.
    mutating func earn(contentByteCount byteCount: Int) {
        contentByteCount += byteCount
        guard contentByteCount >= Limits.contentByteCountPerGlitch else { return }
        earn(contentByteCount / Limits.contentByteCountPerGlitch)
        contentByteCount %= Limits.contentByteCountPerGlitch
    }

    // The tokens of the elapsed time are added only when the tokens have run out. So after a quiet
    // time, a peer can spend up to twice the capacity.
    private mutating func refill(now: MonotonicInstant) {
        guard let since = refilledAt, now > since else { return }
        let earned = (now - since) / .seconds(1) * Double(perSecond)
        guard earned >= 1 else { return }
        tokens = min(capacity, tokens + Int(min(Double(capacity), earned)))
        refilledAt = now
    }
}
