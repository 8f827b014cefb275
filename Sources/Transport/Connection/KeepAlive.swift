/// Decides when to PING a quiet connection and when to give it up, as gRPC's proposal A8 asks of
/// clients.
///
/// It owns no clock and no timer. Time comes in as an argument and the next deadline goes out as
/// a result, so a test can live through an hour in a microsecond.
package struct KeepAlive: Sendable {
    package typealias Instant = MonotonicInstant

    package struct Configuration: Sendable, Hashable {
        /// How long the connection may be quiet before it is probed.
        package var interval: Duration
        /// How long the peer has to answer.
        package var timeout: Duration
        /// Whether to probe while no stream is open.
        package var withoutStreams: Bool
        /// PINGs that may follow one another without DATA or HEADERS sent in between before they
        /// become as rare as ``Configuration/restrainedInterval``; 0 is no limit. Servers close
        /// connections that ping for nothing.
        package var maxPingsWithoutData: Int

        /// Between PINGs once there have been too many: what servers of gRPC bear by default.
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

    package enum Action: Hashable, Sendable {
        /// Nothing to do before that instant; nil is never.
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

    package init(_ configuration: Configuration, now: Instant) {
        self.configuration = configuration
        state = .quiet(since: now)
    }
}

extension KeepAlive {
    /// Any octet at all proves that the peer is alive, the answer to the PING included.
    package mutating func received(now: Instant) {
        state = .quiet(since: now)
    }

    /// DATA or HEADERS were sent.
    package mutating func sentData() {
        pingsWithoutData = 0
    }

    /// Call when the last deadline has passed, or sooner; calling too often is harmless.
    package mutating func poll(now: Instant, hasStreams: Bool) -> Action {
        switch state {
        case .probing(let deadline):
            return now < deadline ? .wait(until: deadline) : .closeConnection
        case .quiet:
            guard let due = deadline(hasStreams: hasStreams) else { return .wait(until: nil) }
            guard now >= due else { return .wait(until: due) }
            pingsWithoutData += 1
            state = .probing(deadline: now + configuration.timeout)
            return .sendPing
        }
    }

    /// When there is something to do, if nothing is received until then; nil is never.
    func deadline(hasStreams: Bool) -> Instant? {
        switch state {
        case .probing(let deadline): return deadline
        case .quiet(let since):
            guard hasStreams || configuration.withoutStreams else { return nil }
            let interval = configuration.interval
            return since + (mayPing ? interval : max(interval, Configuration.restrainedInterval))
        }
    }

    private var mayPing: Bool {
        configuration.maxPingsWithoutData == 0
            || pingsWithoutData < configuration.maxPingsWithoutData
    }
}
