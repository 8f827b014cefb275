/// The side of a connection.
package enum Role: Equatable, Sendable { case client, server }

/// The options of a connection.
package struct ConnectionConfiguration: Sendable {
    /// The size of the receive windows.
    package enum ReceiveWindows: Sendable {
        /// The window of each stream begins with `initial` bytes. As its reader consumes bytes, it grows to
        /// the measured bandwidth × delay, and to the size of a message that the reader waits for. It never
        /// exceeds `limit` bytes.
        case automatic(initial: Int = 64 << 10, limit: Int = 16 << 20)
        /// The window of each stream has this many bytes.
        case fixed(Int)
    }

    let role: Role
    package var receiveWindows = ReceiveWindows.automatic()
    /// The most bytes of the dynamic table that the peer's encoder may use.
    package var decoderTableByteCount = 4_096
    /// The most bytes of the peer's table that our encoder uses.
    package var encoderTableByteCount = 4_096
    /// The largest payload of a received frame, in bytes.
    package var maxFrameByteCount = 16_384
    /// The most concurrent streams. A server announces this limit. A client opens no more streams, even if
    /// its server allows more. Nil means no limit on this side.
    package var maxConcurrentStreams: Int?
    package var limits = Limits()
    /// The identifier of a client's first stream. Tests begin near the last one.
    var firstRequestID = StreamID.firstRequest
    /// How long the peer may take to acknowledge SETTINGS.
    package var settingsTimeout = Duration.seconds(60)
    package var keepAlive: KeepAlive.Configuration?
    /// The shortest time between two PINGs of the peer while this side sends nothing and a stream is open. A
    /// third PING that comes sooner ends the connection with ENHANCE_YOUR_CALM. Nil means no limit.
    package var minPingInterval: Duration?

    package init(_ role: Role) { self.role = role }
}

extension ConnectionConfiguration {
    /// The window of a new stream.
    var streamWindowByteCount: Int32 {
        switch receiveWindows {
        case .automatic(let initial, _): Int32(clamping: max(0, initial))
        case .fixed(let byteCount): Int32(clamping: max(0, byteCount))
        }
    }

    /// The SETTINGS of this side.
    var settings: Settings {
        var settings = Settings()
        settings.headerTableByteCount = UInt32(
            clamping: min(decoderTableByteCount, Limits.tableByteCount))
        settings.initialWindowByteCount = streamWindowByteCount
        settings.maxFrameByteCount = min(max(maxFrameByteCount, 16_384), 16_777_215)
        settings.maxHeaderListByteCount = UInt32(clamping: limits.headerListByteCount)
        switch role {
        case .client: settings.enablePush = false
        case .server:
            settings.maxConcurrentStreams = maxConcurrentStreams.map(UInt32.init(clamping:))
        }
        return settings
    }
}
