/// Which of several addresses to connect to, and when (RFC 8305 §4, §5).
///
/// The families take turns, so that a broken IPv6 costs one delay and not one delay an address.
/// An attempt that is slow goes on while the next begins; the first to succeed wins, and the
/// others are to be given up by the caller. A failed attempt starts the next at once.
///
/// No clock and no socket: the caller connects, reports, and asks ``next(now:)`` what to do.
package struct HappyEyeballs<Cause> {
    package enum Action: Equatable, Sendable {
        /// Connect to `addresses[index]`, and ask again.
        case start(Int)
        /// Ask again at that time, or as soon as an attempt ends; nil is only the latter.
        case wait(until: MonotonicInstant?)
        /// The attempt at `addresses[index]` won.
        case succeeded(Int)
        /// Every attempt failed; ``failures`` says how.
        case failed
    }

    package struct Failure {
        package var address: SocketAddress
        package var cause: Cause
    }

    /// In the order in which they are tried.
    package let addresses: [SocketAddress]
    /// Of the attempts that failed, in the order in which they did.
    package private(set) var failures: [Failure] = []

    private let attemptDelay: Duration
    private var startedCount = 0
    private var nextStart: MonotonicInstant?
    private var winner: Int?

    /// - Parameters:
    ///   - addresses: The resolver's, in its order of preference.
    ///   - attemptDelay: Between two attempts; kept within 100 ms … 2 s (RFC 8305 §8).
    package init(addresses: [SocketAddress], attemptDelay: Duration = .milliseconds(250)) {
        self.addresses = Self.interleaved(addresses)
        self.attemptDelay = min(max(attemptDelay, .milliseconds(100)), .seconds(2))
    }
}

extension HappyEyeballs: Sendable where Cause: Sendable {}
extension HappyEyeballs.Failure: Sendable where Cause: Sendable {}

extension HappyEyeballs {
    /// The families in turn, the first address's first, each in its own order (RFC 8305 §4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        var families: [(family: SocketAddress.Family, addresses: [SocketAddress])] = []
        for address in addresses {
            if let index = families.firstIndex(where: { $0.family == address.family }) {
                families[index].addresses.append(address)
            } else {
                families.append((address.family, [address]))
            }
        }
        let longest = families.map(\.addresses.count).max() ?? 0
        return (0..<longest).flatMap { turn in
            families.compactMap { turn < $0.addresses.count ? $0.addresses[turn] : nil }
        }
    }

    /// What to do now. After `start` it is to be asked again, until it says something else.
    package mutating func next(now: MonotonicInstant) -> Action {
        if let winner { return .succeeded(winner) }
        if startedCount < addresses.count {
            // `nextStart` is nil before the first attempt and after a failure.
            if let nextStart, now < nextStart { return .wait(until: nextStart) }
            startedCount += 1
            nextStart = now + attemptDelay
            return .start(startedCount - 1)
        }
        return failures.count == addresses.count ? .failed : .wait(until: nil)
    }

    package mutating func attemptSucceeded(_ index: Int) {
        if winner == nil { winner = index }
    }

    /// The next attempt need not wait any longer (RFC 8305 §5).
    package mutating func attemptFailed(_ index: Int, _ cause: Cause) {
        failures.append(Failure(address: addresses[index], cause: cause))
        nextStart = nil
    }
}
