/// Flow control of the whole connection (RFC 9113 §6.9.1), and the measurement that determines the receive
/// windows of its streams.
///
/// When DATA arrives, its bytes are returned to the connection's window at once, even if the stream's reader
/// does not consume them. Only the window of a stream applies back-pressure, so the reader of one stream
/// cannot stop another stream. The windows of the open streams limit the unread data.
struct ConnectionFlow: Sendable {
    typealias Instant = MonotonicInstant

    private(set) var sendWindow = FlowControlWindow()
    private(set) var receiveWindow = ReceiveWindow(byteCount: FlowControlWindow.defaultByteCount)
    /// Nil when the windows have a fixed size.
    private var bandwidth: BandwidthEstimate?

    init(_ windows: ConnectionConfiguration.ReceiveWindows) {
        if case .automatic(let initial, let limit) = windows {
            bandwidth = BandwidthEstimate(initial: initial, limit: limit)
        }
    }

    /// The frames to send together with a stream's WINDOW_UPDATE.
    struct Measurement {
        /// Send a PING that measures the round trip.
        var measuresDelay = false
        /// Increment the connection's window by this.
        var increment: UInt32?
    }
}

// MARK: - Sending

extension ConnectionFlow {
    /// Bytes of DATA that the connection's window allows now.
    var sendableByteCount: Int { Int(max(0, sendWindow.available)) }

    mutating func spend(_ byteCount: Int) { sendWindow.spend(byteCount) }

    /// Applies a WINDOW_UPDATE of stream 0.
    mutating func grow(by increment: UInt32) throws(HTTP2Error) {
        do throws(FlowControlWindow.Overflow) {
            try sendWindow.grow(by: increment)
        } catch {
            throw .connection(.flowControlError, "connection window above 2³¹−1")
        }
    }
}

// MARK: - Receiving

extension ConnectionFlow {
    /// Counts DATA that arrived, and treats it as consumed. Returns the increment to announce, or nil if no
    /// update is due yet.
    mutating func receive(_ byteCount: Int) throws(HTTP2Error) -> UInt32? {
        guard receiveWindow.receive(byteCount) else {
            throw .connection(.flowControlError, "DATA beyond the connection's window")
        }
        bandwidth?.received()
        return receiveWindow.consume(byteCount)
    }

    /// Makes the receive window at least this large. Returns the increment to announce.
    mutating func enlarge(to byteCount: Int) -> UInt32? {
        receiveWindow.enlarge(to: Int32(clamping: byteCount))
    }

    /// Counts bytes that a stream's reader consumed. Returns the size up to which the stream's window
    /// may grow.
    mutating func streamConsumed(_ byteCount: Int) -> Int32 {
        bandwidth?.consumed(byteCount)
        return Int32(clamping: bandwidth?.windowByteCount ?? 0)
    }

    /// The number of awaited bytes for which a stream's window may grow. 0 if the windows have a fixed size.
    func grant(awaited byteCount: Int) -> Int32 {
        Int32(clamping: min(byteCount, bandwidth?.limit ?? 0))
    }

    /// Makes the connection's window twice that of the stream, so that one stream alone does not use
    /// all of it. Returns the increment to announce. Windows of a fixed size do not change.
    mutating func enlarge(forStream byteCount: Int32) -> UInt32? {
        bandwidth == nil ? nil : enlarge(to: 2 * Int(byteCount))
    }

    /// Measures the path when a stream sends a WINDOW_UPDATE. Makes the connection's window twice the
    /// measured size, so that one stream alone does not use all of it.
    mutating func streamUpdated(now: Instant) -> Measurement {
        guard let advice = bandwidth?.windowUpdated(now: now) else { return Measurement() }
        return Measurement(
            measuresDelay: advice.measuresDelay,
            increment: advice.windowByteCount.flatMap { enlarge(to: $0 * 2) })
    }

    /// Ends the measurement: its PING was answered.
    mutating func delayMeasured(now: Instant) { bandwidth?.pingAnswered(now: now) }

    /// Keeps the windows of streams at their announced size from now on.
    mutating func stopMeasuring() { bandwidth = nil }
}
