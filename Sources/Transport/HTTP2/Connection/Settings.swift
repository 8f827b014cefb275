/// The parameters of one endpoint (RFC 9113 §6.5.2), with their initial values.
struct Settings: Equatable, Sendable {
    var headerTableByteCount: UInt32 = 4_096
    var enablePush = true
    /// Nil means no limit.
    var maxConcurrentStreams: UInt32?
    var initialWindowByteCount: Int32 = FlowControlWindow.defaultByteCount
    var maxFrameByteCount = 16_384
    /// Nil means no limit. The limit is advice: the peer refuses larger lists.
    var maxHeaderListByteCount: UInt32?

    init() {}
}

// MARK: - From and to the wire

extension Settings {
    /// The legal values of SETTINGS_MAX_FRAME_SIZE (§6.5.2).
    private static let frameByteCounts = 16_384...16_777_215

    /// Applies the announcement of the peer, in order.
    mutating func apply(_ entries: [SettingsFrame.Entry]) throws(HTTP2Error) {
        for entry in entries { try apply(entry) }
    }

    private mutating func apply(_ entry: SettingsFrame.Entry) throws(HTTP2Error) {
        switch entry.identifier {
        case SettingsFrame.Entry.headerTableSize:
            headerTableByteCount = entry.value
        case SettingsFrame.Entry.enablePush:
            guard entry.value <= 1 else {
                throw .connection(.protocolError, "SETTINGS_ENABLE_PUSH of \(entry.value)")
            }
            enablePush = entry.value == 1
        case SettingsFrame.Entry.maxConcurrentStreams:
            maxConcurrentStreams = entry.value
        case SettingsFrame.Entry.initialWindowSize:
            guard let byteCount = Int32(exactly: entry.value) else {
                throw .connection(
                    .flowControlError, "SETTINGS_INITIAL_WINDOW_SIZE of \(entry.value)")
            }
            initialWindowByteCount = byteCount
        case SettingsFrame.Entry.maxFrameSize:
            guard let byteCount = Int(exactly: entry.value),
                Self.frameByteCounts.contains(byteCount)
            else {
                throw .connection(.protocolError, "SETTINGS_MAX_FRAME_SIZE of \(entry.value)")
            }
            maxFrameByteCount = byteCount
        case SettingsFrame.Entry.maxHeaderListSize:
            maxHeaderListByteCount = entry.value
        default:
            break  // §6.5.2: unknown parameters are ignored.
        }
    }

    /// The entries that change `old`, the settings that the peer already has, to these settings.
    func entries(changedFrom old: Settings = Settings()) -> [SettingsFrame.Entry] {
        var entries: [SettingsFrame.Entry] = []
        func add(_ identifier: UInt16, _ value: UInt32) {
            entries.append(.init(identifier: identifier, value: value))
        }
        if headerTableByteCount != old.headerTableByteCount {
            add(SettingsFrame.Entry.headerTableSize, headerTableByteCount)
        }
        if enablePush != old.enablePush {
            add(SettingsFrame.Entry.enablePush, enablePush ? 1 : 0)
        }
        if maxConcurrentStreams != old.maxConcurrentStreams {
            add(SettingsFrame.Entry.maxConcurrentStreams, maxConcurrentStreams ?? .max)
        }
        if initialWindowByteCount != old.initialWindowByteCount {
            add(SettingsFrame.Entry.initialWindowSize, UInt32(initialWindowByteCount))
        }
        if maxFrameByteCount != old.maxFrameByteCount {
            add(SettingsFrame.Entry.maxFrameSize, UInt32(maxFrameByteCount))
        }
        if maxHeaderListByteCount != old.maxHeaderListByteCount {
            add(SettingsFrame.Entry.maxHeaderListSize, maxHeaderListByteCount ?? .max)
        }
        return entries
    }
}
