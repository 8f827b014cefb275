import SwiftletCore
import SwiftletTransport

/// When a subchannel's stream of reports is opened, and when it is opened again (proposals A17 and A51).
///
/// The delay counts from the moment the stream was opened. It starts again at its initial value
/// after each stream that has received a message. So a stream that was open for longer than the
/// delay is opened again at once. Otherwise the rest of the delay passes first.
struct SubchannelStreamState: Sendable {
    enum Action: Equatable {
        case nothing
        case open
        case wait(until: MonotonicInstant)
    }

    private enum Phase: Equatable {
        case closed
        case open(since: MonotonicInstant)
        case waiting(until: MonotonicInstant)
        /// The server does not have the method, or the stream is not wanted any more.
        case ended
    }

    private var phase = Phase.closed
    private var backoff: Backoff

    init(_ backoff: Backoff) { self.backoff = backoff }
}

extension SubchannelStreamState {
    /// The subchannel is connected. Called once.
    mutating func start(now: MonotonicInstant) -> Action {
        guard phase == .closed else { return .nothing }
        return open(now: now)
    }

    /// A message has arrived.
    mutating func received() {
        backoff.reset()
    }

    /// The stream has ended.
    ///
    /// - Parameters:
    ///   - code: Its status. UNIMPLEMENTED is final.
    ///   - now: The current time.
    ///   - chance: From 0 to 1: the position in the range that the jitter allows.
    mutating func ended(
        _ code: StatusCode, now: MonotonicInstant, chance: Double = .chance
    ) -> Action {
        guard case .open(let since) = phase else { return .nothing }
        guard code != .unimplemented else {
            phase = .ended
            return .nothing
        }
        let next = since + backoff.next(chance: chance)
        guard next > now else { return open(now: now) }
        phase = .waiting(until: next)
        return .wait(until: next)
    }

    mutating func timeHasCome(now: MonotonicInstant) -> Action {
        guard case .waiting(let time) = phase else { return .nothing }
        guard time <= now else { return .wait(until: time) }
        return open(now: now)
    }

    /// Whether the stream is open, or may be opened. False after ``stop()``, which may come between the
    /// action ``Action/open`` and its execution.
    var isOpen: Bool { if case .open = phase { true } else { false } }

    /// The connection is not used any more, or the reports are not wanted.
    mutating func stop() { phase = .ended }

    private mutating func open(now: MonotonicInstant) -> Action {
        phase = .open(since: now)
        return .open
    }
}
