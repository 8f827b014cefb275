/// Which end of a connection this is.
package enum Role: Hashable, Sendable { case client, server }

/// What a connection is made with.
package struct ConnectionConfiguration: Sendable {
    /// How large the receive windows are.
    package enum ReceiveWindows: Hashable, Sendable {
        /// From `initial` up to `limit`, as the measured bandwidth × delay asks for.
        case automatic(initial: Int = 64 << 10, limit: Int = 16 << 20)
        case fixed(Int)
    }

    package var role: Role
    package var receiveWindows = ReceiveWindows.automatic()
    /// Of what was read on a stream, its reader holds no more than so much of the window back while
    /// it waits for more.
    package var heldBackByteCount = 0
    /// The dynamic table that we let the peer's encoder use.
    package var decoderTableByteCount = 4_096
    /// The most of the peer's table that our encoder uses.
    package var encoderTableByteCount = 4_096
    /// The largest frame we accept.
    package var maxFrameByteCount = 16_384
    /// A server's announcement; a client obeys its peer's. Also the most that a client opens,
    /// whatever the server allows.
    package var maxConcurrentStreams: Int?
    package var limits = Limits()
    /// The identifier of a client's first stream. Tests begin near the last one.
    package var firstRequestID = StreamID.firstRequest
    /// How long the peer may leave our SETTINGS unanswered.
    package var settingsTimeout = Duration.seconds(60)
    package var keepAlive: KeepAlive.Configuration?

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

    /// Our SETTINGS.
    var settings: Settings {
        var settings = Settings()
        settings.headerTableByteCount = UInt32(clamping: decoderTableByteCount)
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
