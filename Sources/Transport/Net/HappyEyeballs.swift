/// Chooses which of several addresses to connect to, and when (RFC 8305 §4, §5).
///
/// A slow attempt continues while the next one begins. A failed attempt starts the
/// next one at once. The first attempt that succeeds is used, and the caller ends the others.
///
/// It has no clock and no socket: the caller connects, reports the result, and calls
/// ``next(now:)``.
package struct HappyEyeballs: Sendable {
    package enum Action: Equatable, Sendable {
        /// Connect to `addresses[index]`, and call ``next(now:)`` again.
        case start(Int)
        /// Call ``next(now:)`` again at that time, or when an attempt ends. Nil: only when an
        /// attempt ends.
        case wait(until: MonotonicInstant?)
        /// Every attempt failed.
        case failed
    }

    /// The addresses in the order of the attempts.
    package private(set) var addresses: [SocketAddress]
    private let attemptDelay: Duration
    private var startedCount = 0
    private var failureCount = 0
    private var nextStart: MonotonicInstant?

    /// - Parameters:
    ///   - addresses: In the order of the attempts: see ``interleaved(_:)``.
    ///   - attemptDelay: The time between two attempts, limited to 100 ms … 2 s (RFC 8305 §8).
    package init(addresses: [SocketAddress], attemptDelay: Duration = .milliseconds(250)) {
        self.addresses = addresses
        self.attemptDelay = min(max(attemptDelay, .milliseconds(100)), .seconds(2))
    }
}

extension HappyEyeballs {
    /// Alternates the families, beginning with the family of the first address (RFC 8305 §4), so that broken
    /// IPv6 costs one delay in total and not one delay per address.
    package static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        var families: [(family: SocketAddress.Family, addresses: [SocketAddress])] = []
        for address in addresses {
            if let index = families.firstIndex(where: { $0.family == address.family }) {
                families[index].addresses.append(address)
            } else {
                families.append((address.family, [address]))
            }
        }
        guard families.count > 1 else { return addresses }
        var interleaved: [SocketAddress] = []
        for turn in addresses.indices {
            for family in families where turn < family.addresses.count {
                interleaved.append(family.addresses[turn])
            }
        }
        return interleaved
    }

    /// Returns the next action. After `start`, call it again until it returns another action.
    package mutating func next(now: MonotonicInstant) -> Action {
        if startedCount < addresses.count {
            // `nextStart` is nil before the first attempt and after a failure.
            if let nextStart, now < nextStart { return .wait(until: nextStart) }
            startedCount += 1
            nextStart = now + attemptDelay
            return .start(startedCount - 1)
        }
        return failureCount == addresses.count ? .failed : .wait(until: nil)
    }

    /// The addresses whose attempts have started.
    package var started: ArraySlice<SocketAddress> { addresses[..<startedCount] }

    /// Replaces the addresses whose attempts have not started. The others keep their indices.
    package mutating func replacePending(by addresses: [SocketAddress]) {
        self.addresses = Array(started) + addresses
    }

    /// Starts the next attempt without further delay (RFC 8305 §5).
    package mutating func attemptFailed() {
        failureCount += 1
        nextStart = nil
    }
}
