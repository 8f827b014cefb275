/// Decides when to send a PING on a quiet connection, and when to close the connection because no answer
/// arrives.
///
/// It has no clock and no timer. Time is an argument, and the next deadline is a result, so that tests can
/// use virtual time.
package struct KeepAlive: Sendable {
    package typealias Instant = MonotonicInstant

    package struct Configuration: Sendable {
        /// How long the connection may be quiet before a PING is sent.
        package var interval: Duration
        /// How long the peer has to answer a PING.
        let timeout: Duration
        /// Whether to send PINGs while no stream is open.
        let withoutStreams: Bool
        /// How many PINGs are sent on a connection without streams, with no DATA or HEADERS sent in between.
        /// Then the interval grows to ``Configuration/restrainedInterval``, because servers close connections
        /// that send PINGs without need. 0 means no limit. While a stream is open, ``interval`` always
        /// applies.
        let maxPingsWithoutData: Int

        /// The interval after too many PINGs. By default, common servers accept no shorter interval.
        static let restrainedInterval = Duration.seconds(300)

        package init(
            interval: Duration, timeout: Duration = .seconds(20), withoutStreams: Bool = false,
            maxPingsWithoutData: Int = 2
        ) {
            self.interval = interval
            self.timeout = timeout
            self.withoutStreams = withoutStreams
            self.maxPingsWithoutData = maxPingsWithoutData
        }
    }

    enum Action: Sendable {
        /// No action is due before this instant. Nil means that no action will become due.
        case wait(until: Instant?)
        case sendPing
        case closeConnection
    }

    private enum State: Sendable {
        case quiet(since: Instant)
        case probing(deadline: Instant)
    }

    private let configuration: Configuration
    private var state: State
    private var pingsWithoutData = 0

    init(_ configuration: Configuration, now: Instant) {
        self.configuration = configuration
        state = .quiet(since: now)
    }
}

extension KeepAlive {
    /// Notes that bytes arrived, so that the peer is alive.
    mutating func received(now: Instant) {
        state = .quiet(since: now)
    }

    /// Notes that DATA or HEADERS were sent.
    mutating func sentData() {
        pingsWithoutData = 0
    }

    /// Returns the action that is due. Call it when the last deadline has passed. Additional calls are
    /// harmless.
    mutating func poll(now: Instant, hasStreams: Bool) -> Action {
        switch state {
        case .probing(let deadline):
            return now < deadline ? .wait(until: deadline) : .closeConnection
        case .quiet:
            guard let due = deadline(hasStreams: hasStreams) else { return .wait(until: nil) }
            guard now >= due else { return .wait(until: due) }
            if !hasStreams { pingsWithoutData += 1 }
            state = .probing(deadline: now + configuration.timeout)
            return .sendPing
        }
    }

    /// The time of the next action if nothing is received until then. Nil if there is none.
    func deadline(hasStreams: Bool) -> Instant? {
        switch state {
        case .probing(let deadline): return deadline
        case .quiet(let since):
            guard hasStreams || configuration.withoutStreams else { return nil }
            let interval = configuration.interval
            let holds = hasStreams || mayPing
            return since + (holds ? interval : max(interval, Configuration.restrainedInterval))
        }
    }

    private var mayPing: Bool {
        configuration.maxPingsWithoutData == 0
            || pingsWithoutData < configuration.maxPingsWithoutData
    }
}
