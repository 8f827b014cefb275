/// Limits glitches: frames that cause work and carry no content, as in a PING or SETTINGS flood.
///
/// It is a token bucket. A glitch costs a token. Content earns tokens, because a correct peer sends
/// control frames together with content: WINDOW_UPDATE for received bytes, PING to measure the
/// path. Received content earns tokens by its bytes, so that tiny frames earn almost nothing. Time
/// is an argument.
///
/// The number of tokens is not stored. The budget stores the time at which the bucket is full: each
/// missing token delays it by the time in which the bucket earns a token. So the budget needs no
/// refill.
struct GlitchBudget: Sendable {
    /// The time in which an empty bucket becomes full.
    private let nanosecondsToFill: Int64
    private let nanosecondsPerToken: Int64
    /// In nanoseconds of ``MonotonicInstant``. The bucket is full when this time has passed.
    private var fullAt: Int64 = 0
    /// Bytes of content that have not earned a token yet.
    private var contentByteCount = 0
    /// Discarded bytes that have not cost a token yet.
    private var discardedByteCount = 0

    init(_ limits: Limits) {
        nanosecondsPerToken = 1_000_000_000 / Int64(limits.glitchesPerSecond)
        nanosecondsToFill = nanosecondsPerToken * Int64(limits.glitchCount)
    }
}

extension GlitchBudget {
    /// Spends tokens. Returns false when there are not enough.
    mutating func spend(_ count: Int = 1, now: MonotonicInstant) -> Bool {
        let cost = nanosecondsPerToken * Int64(count)
        // A full bucket earns nothing.
        let afterwards = max(fullAt, now.nanoseconds) + cost
        guard afterwards - now.nanoseconds <= nanosecondsToFill else { return false }
        fullAt = afterwards
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
        // The lower bound prevents an overflow on a connection without glitches.
        fullAt = max(0, fullAt - nanosecondsPerToken * Int64(count))
    }

    /// Earns tokens for received content.
    mutating func earn(contentByteCount byteCount: Int) {
        contentByteCount += byteCount
        guard contentByteCount >= Limits.contentByteCountPerGlitch else { return }
        earn(contentByteCount / Limits.contentByteCountPerGlitch)
        contentByteCount %= Limits.contentByteCountPerGlitch
    }
}
