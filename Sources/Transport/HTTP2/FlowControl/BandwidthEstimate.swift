/// Measures bandwidth × delay of a connection, and recommends the size of receive windows.
///
/// The delay is the round trip of a PING. A PING is sent only together with a window update, so that it needs
/// no write of its own. The bandwidth is the number of bytes that readers consume between two window updates,
/// so bytes that stay unread do not make windows grow. Time is an argument.
///
/// Servers close a connection that sends PINGs while they send nothing: grpc-go and gRPC C++ accept two. A slow
/// reader may still consume bytes, and so cause window updates, long after the server has stopped to send. So
/// a PING is sent only if DATA has arrived since the answer to the one before. The server has sent that DATA after
/// it had received the PING.
struct BandwidthEstimate: Sendable {
    typealias Instant = MonotonicInstant

    /// The actions at a window update.
    struct Advice: Equatable, Sendable {
        /// Send a PING with the update, and report its answer to ``BandwidthEstimate/pingAnswered(now:)``.
        var measuresDelay = false
        /// The new window in bytes. Nil if it has not grown.
        var windowByteCount: Int?
    }

    private enum Delay: Sendable {
        case idle(notBefore: Instant?)
        case measuring(since: Instant)
    }

    private var measurement = Delay.idle(notBefore: nil)
    /// Whether DATA has arrived that the peer sent after the last PING reached it.
    private var peerHasSent = false
    /// The shortest recent round trip. A longer one includes time in a queue, or time until a busy thread
    /// answered.
    private var delay: Duration?
    private var lastUpdate: Instant?
    /// Bytes consumed since ``lastUpdate``.
    private var byteCount = 0

    /// The recommended window of a stream, in bytes.
    private(set) var windowByteCount: Int
    /// The largest window that is ever recommended, in bytes.
    let limit: Int

    private static let pause = Duration.milliseconds(20)

    init(initial: Int, limit: Int) {
        windowByteCount = initial
        self.limit = max(initial, limit)
    }
}

extension BandwidthEstimate {
    mutating func consumed(_ byteCount: Int) { self.byteCount += byteCount }

    /// Called when DATA has arrived.
    mutating func received() {
        // DATA that arrives before the answer may have been sent before the PING arrived.
        if case .idle = measurement { peerHasSent = true }
    }

    /// Called when a window update of a stream is sent.
    mutating func windowUpdated(now: Instant) -> Advice {
        guard windowByteCount < limit else { return Advice() }
        var advice = Advice()
        if peerHasSent, case .idle(let notBefore) = measurement,
            notBefore.map({ now >= $0 }) ?? true
        {
            measurement = .measuring(since: now)
            peerHasSent = false
            advice.measuresDelay = true
        }
        // Several streams can send updates in quick succession, so the measurement waits until a
        // quarter of the window was consumed.
        guard byteCount >= windowByteCount / 4 else { return advice }
        defer { (lastUpdate, byteCount) = (now, 0) }
        guard let lastUpdate, let delay else { return advice }
        let elapsed = max(now - lastUpdate, .microseconds(1))
        let product = Double(byteCount) * (delay / elapsed)
        // An update is sent when half of the window is consumed. So a window of twice the product keeps the
        // sender busy. The second factor of two is a reserve for delays.
        if 4 * product > Double(windowByteCount) {
            windowByteCount = min(limit, 2 * windowByteCount)
            advice.windowByteCount = windowByteCount
        }
        return advice
    }

    mutating func pingAnswered(now: Instant) {
        guard case .measuring(let since) = measurement else { return }
        let sample = now - since
        // The path can become longer, so an old sample loses weight with each new one.
        delay = delay.map { min(sample, $0 + $0 / 8) } ?? sample
        measurement = .idle(notBefore: now + Self.pause)
    }
}
