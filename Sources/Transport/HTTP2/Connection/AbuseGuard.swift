/// Charges the peer for frames that cause work and carry no content. Ends the connection of a peer that sends
/// too many of them.
struct AbuseGuard: Sendable {
    typealias Instant = MonotonicInstant

    private var budget: GlitchBudget
    /// WINDOW_UPDATE frames that the peer may send for DATA that it received.
    private var owedUpdateCount = 0
    private var late = LateFrames()
    private let owedUpdateLimit: Int
    private let settingsEntriesPerGlitch: Int

    init(_ limits: Limits) {
        budget = GlitchBudget(limits)
        owedUpdateLimit = limits.owedUpdateCount
        settingsEntriesPerGlitch = limits.settingsEntriesPerGlitch
    }
}

// MARK: - Charges

extension AbuseGuard {
    /// Charges for a frame without content.
    mutating func charge(_ count: Int = 1, now: Instant) throws(HTTP2Error) {
        guard budget.spend(count, now: now) else {
            throw .connection(.enhanceYourCalm, "too many frames without content")
        }
    }

    /// Charges for an error on a stream. The error costs this side a frame, and costs the peer almost
    /// nothing.
    mutating func chargeStreamError(_ message: String, now: Instant) throws(HTTP2Error) {
        guard budget.spend(now: now) else {
            throw .connection(
                .enhanceYourCalm, "too many errors on streams; the last: \(message)")
        }
    }

    /// Charges for a SETTINGS frame by the number of its entries.
    mutating func chargeSettings(entryCount: Int, now: Instant) throws(HTTP2Error) {
        try charge(1 + entryCount / settingsEntriesPerGlitch, now: now)
    }

    /// Charges for a frame whose handling visits every open stream.
    mutating func chargeVisit(of streamCount: Int, now: Instant) throws(HTTP2Error) {
        try charge(streamCount / Limits.visitedStreamCountPerGlitch, now: now)
    }

    /// Charges for a frame that is discarded because its type is unknown.
    mutating func chargeDiscarded(_ byteCount: Int, now: Instant) throws(HTTP2Error) {
        guard budget.spend(discarding: byteCount, now: now) else {
            throw .connection(.enhanceYourCalm, "too many frames of unknown types")
        }
    }

    /// Charges for a WINDOW_UPDATE, unless it answers DATA that this side has sent at any time before.
    mutating func chargeWindowUpdate(now: Instant) throws(HTTP2Error) {
        if owedUpdateCount > 0 { owedUpdateCount -= 1 } else { try charge(now: now) }
    }

    /// Credits DATA that arrived. If the DATA is empty and does not end its stream, charges for it instead.
    mutating func receiveData(
        contentByteCount: Int, endStream: Bool, now: Instant
    ) throws(HTTP2Error) {
        guard contentByteCount > 0 || endStream else { return try charge(now: now) }
        budget.earn(contentByteCount: contentByteCount)
    }
}

// MARK: - Credits

extension AbuseGuard {
    /// Credits a DATA frame that was sent. The peer may send WINDOW_UPDATEs for the stream and for the
    /// connection: for a message's prefix and its content separately, or for every 4 KiB that it reads. It
    /// may also measure the path with a PING for each frame. The peer cannot earn this credit without limit,
    /// because this side decides what it sends.
    mutating func sentData(_ byteCount: Int) {
        owedUpdateCount = min(owedUpdateCount + 4 + byteCount >> 11, owedUpdateLimit)
        budget.earn(4)
    }

    /// Credits a stream on which both sides have ended.
    mutating func completedStream() { budget.earn(4) }
}

// MARK: - Frames on closed streams

extension AbuseGuard {
    /// Allows late frames on a stream that was reset: up to `byteCount` bytes of DATA.
    mutating func allowLateFrames(byteCount: Int64) { late.allow(byteCount: byteCount) }

    /// Counts a frame on a closed stream. Returns whether it is one of the allowed late frames.
    mutating func admitLateFrame(contentByteCount: Int = 0) -> Bool {
        late.admit(contentByteCount: contentByteCount)
    }
}
