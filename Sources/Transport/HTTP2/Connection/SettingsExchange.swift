/// The SETTINGS of both sides (RFC 9113 §6.5): the values in effect, and the values that wait for an
/// acknowledgement.
struct SettingsExchange: Sendable, ~Copyable {
    typealias Instant = MonotonicInstant

    /// The values that the peer has announced. They limit what this side sends.
    private(set) var peer = Settings()
    /// The values that this side has announced and the peer has acknowledged. They limit what the peer sends.
    private(set) var acknowledged = Settings()
    /// The time until which the peer must acknowledge the oldest announcement. Nil if all are acknowledged.
    private(set) var deadline: Instant?

    /// The announcements that the peer has not acknowledged, oldest first.
    private var unacknowledged: [Settings] = []
    private let timeout: Duration

    init(timeout: Duration) { self.timeout = timeout }

    /// The changes to make when the peer acknowledges an announcement.
    struct Acknowledgement {
        var windowDelta: Int32
        /// The new size of the decoder's table. Nil if it does not change.
        var tableByteCount: Int?
    }
}

// MARK: - Our settings

extension SettingsExchange {
    /// The newest announcement. The peer may have applied it already.
    var newest: Settings { unacknowledged.last ?? acknowledged }

    /// The number of bytes by which the newest announced initial window exceeds the acknowledged one. The
    /// peer may already use the newest one.
    var unacknowledgedWindowGrowth: Int64 {
        max(
            0,
            Int64(newest.initialWindowByteCount) - Int64(acknowledged.initialWindowByteCount))
    }

    /// Announces `settings`. Returns the frame to send.
    mutating func announce(_ settings: Settings, now: Instant) -> SettingsFrame {
        let frame = SettingsFrame(settings.entries(changedFrom: newest))
        unacknowledged.append(settings)
        if deadline == nil { deadline = now + timeout }
        return frame
    }

    /// Applies the oldest unacknowledged SETTINGS of this side, because the peer has acknowledged them
    /// (§6.5.3). Throws if no SETTINGS frame is unacknowledged.
    mutating func receiveAcknowledgement(
        now: Instant
    ) throws(HTTP2Error) -> Acknowledgement {
        guard !unacknowledged.isEmpty else {
            throw .connection(.protocolError, "SETTINGS acknowledgement without SETTINGS")
        }
        let old = acknowledged
        acknowledged = unacknowledged.removeFirst()
        deadline = unacknowledged.isEmpty ? nil : now + timeout
        let hasNewTable = acknowledged.headerTableByteCount != old.headerTableByteCount
        return Acknowledgement(
            windowDelta: acknowledged.initialWindowByteCount - old.initialWindowByteCount,
            tableByteCount: hasNewTable ? Int(acknowledged.headerTableByteCount) : nil)
    }
}

// MARK: - The peer's settings

extension SettingsExchange {
    /// Applies the announcement of the peer. Returns the change of its initial window.
    mutating func receive(
        _ frame: SettingsFrame, as role: Role
    ) throws(HTTP2Error) -> Int64 {
        let old = peer.initialWindowByteCount
        try peer.apply(frame.entries)
        // §6.5.2: a client treats any value other than 0 from a server as an error. This includes 1, which is
        // the initial value.
        if role == .client,
            frame.entries.contains(where: {
                $0.identifier == SettingsFrame.Entry.enablePush && $0.value != 0
            })
        {
            throw .connection(.protocolError, "SETTINGS_ENABLE_PUSH of 1 from a server")
        }
        return Int64(peer.initialWindowByteCount) - Int64(old)
    }

    /// The largest header list that the peer accepts, in bytes. The peer refuses a stream with a larger list.
    /// Nil if it announces no limit.
    var peerHeaderListLimit: Int? { peer.maxHeaderListByteCount.map(Int.init(clamping:)) }

    /// How many streams the peer allows at once. Nil when it announces no limit.
    var peerStreamLimit: Int? { peer.maxConcurrentStreams.map(Int.init(clamping:)) }
}
