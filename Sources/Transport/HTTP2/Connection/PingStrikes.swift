/// Counts the PINGs of a client that come too soon after the one before, as gRPC's servers do.
///
/// A PING is not too soon if this side has sent HEADERS or DATA since the one before. A client that sends more
/// than two PINGs too soon loses its connection. Time is an argument.
struct PingStrikes: Sendable {
    typealias Instant = MonotonicInstant

    private let minInterval: Duration
    private var count = 0
    /// The last that did not come too soon (A8). Nil if the next one is never too soon.
    private var lastPing: Instant?

    /// The shortest time between PINGs while no stream is open.
    static let minIntervalWithoutStreams = Duration.seconds(2 * 60 * 60)
    private static let maxCount = 2

    init(minInterval: Duration) { self.minInterval = minInterval }
}

extension PingStrikes {
    /// Notes that HEADERS or DATA were sent.
    mutating func sentData() { (count, lastPing) = (0, nil) }

    /// Notes a PING. Throws if it is one too many.
    mutating func receive(now: Instant, hasStreams: Bool) throws(HTTP2Error) {
        let interval = hasStreams ? minInterval : Self.minIntervalWithoutStreams
        guard let last = lastPing, now - last < interval else {
            lastPing = now
            return
        }
        count += 1
        guard count <= Self.maxCount else {
            throw .connection(.enhanceYourCalm, "too_many_pings")
        }
    }
}
