/// The SETTINGS of both sides (RFC 9113 §6.5): which values are in effect, and which wait for an acknowledgement.
struct SettingsExchange: Sendable {
    typealias Instant = MonotonicInstant

    /// What the peer has announced. It limits what this side sends.
    private(set) var peer = Settings()
    /// What this side has announced and the peer has acknowledged. It limits what the peer sends.
    private(set) var acknowledged = Settings()
    /// When the peer must have acknowledged the oldest announcement. Nil when none is unacknowledged.
    private(set) var deadline: Instant?

    /// What this side has announced, oldest first.
    private var unacknowledged: [Settings] = []
    private let timeout: Duration

    init(timeout: Duration) { self.timeout = timeout }

    /// What changes when the peer acknowledges an announcement.
    struct Acknowledgement {
        var windowDelta: Int32
        /// The new size of the decoder's table. Nil when it stays.
        var tableByteCount: Int?
    }
}

// MARK: - Our settings

extension SettingsExchange {
    /// The newest announcement. The peer may have applied it already.
    var newest: Settings { unacknowledged.last ?? acknowledged }

    /// How many bytes the newest announced initial window exceeds the acknowledged one. The peer may already use the
    /// newest one.
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

    /// Applies the oldest unacknowledged SETTINGS of this side: the peer acknowledged it (§6.5.3).
    /// Throws when no SETTINGS frame is unacknowledged.
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
    /// Applies what the peer announces. Returns the change of its initial window.
    mutating func receive(
        _ frame: SettingsFrame, as role: Role
    ) throws(HTTP2Error) -> Int64 {
        let old = peer.initialWindowByteCount
        try peer.apply(frame.entries)
        // §6.5.2: a client treats any value other than 0 from a server as an error, also 1, which is
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

    /// The largest header list that the peer accepts, in bytes. Nil when it announces no limit. The peer
    /// refuses a stream with a larger one.
    var peerHeaderListLimit: Int? { peer.maxHeaderListByteCount.map(Int.init(clamping:)) }

    /// How many streams the peer allows at once. Nil when it announces no limit.
    var peerStreamLimit: Int? { peer.maxConcurrentStreams.map(Int.init(clamping:)) }
}
