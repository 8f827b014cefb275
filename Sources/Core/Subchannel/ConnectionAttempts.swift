import SwiftletTransport

/// The attempts to connect, one at a time: the delays between them, and the failure that the last one has left.
///
/// The delay counts from the beginning of an attempt to the beginning of the next one. It grows until a
/// connection has succeeded. Success is more than a handshake: otherwise the client would connect without a
/// pause to a server that completes the handshake and closes.
struct ConnectionAttempts {
    private let connectTimeout: Duration
    private var backoff: Backoff
    private(set) var running: (number: Int, begun: MonotonicInstant)?
    private var lastNumber = 0
    /// When the next attempt begins by itself if the last one has failed.
    private(set) var next: MonotonicInstant?
    /// Before this time, no connection is tried in addition to the open ones.
    private(set) var nextExtra: MonotonicInstant?
    /// Why there is no connection. Nil before the first failure, and from each connection to the next failure.
    private(set) var failure: ConnectionFailure?
    /// Whether the server has drained the last connection before it had succeeded.
    private var wasDrainedEarly = false

    init(_ backoff: Backoff.Configuration, connectTimeout: Duration) {
        self.backoff = Backoff(backoff)
        self.connectTimeout = connectTimeout
    }
}

extension ConnectionAttempts {
    /// Begins an attempt. It may last as long as the delay, or as the connect timeout if that is longer
    /// (gRPC's connection-backoff.md).
    mutating func begin(at now: MonotonicInstant) -> (number: Int, timeLimit: Duration) {
        let delay = backoff.next()
        lastNumber += 1
        running = (lastNumber, now)
        next = now + delay
        return (lastNumber, max(connectTimeout, delay))
    }

    /// The addresses of the running attempt are others, to which earlier failures do not apply.
    mutating func beginDelaysAgain() {
        backoff.reset()
        guard let running else { return }
        next = running.begun + backoff.next()
    }

    /// An attempt has ended. False if it was cancelled before.
    mutating func end(_ number: Int) -> Bool {
        guard running?.number == number else { return false }
        running = nil
        return true
    }

    /// Returns whether an attempt was running.
    mutating func cancel() -> Bool { running.take() != nil }

    /// There is a connection. It has not succeeded yet, so the delay stays.
    mutating func connected() { failure = nil }

    /// There is no connection. Returns the time of the next attempt.
    mutating func fail(_ failure: ConnectionFailure, at now: MonotonicInstant) -> MonotonicInstant {
        self.failure = failure
        // A connection may have succeeded during the attempt.
        self.failure?.attemptNumber = max(1, backoff.attemptCount)
        let time = max(next ?? now, now)
        next = time
        return time
    }

    /// The last attempt was for one more connection besides the open ones, and has failed.
    mutating func failExtra() { nextExtra = next }

    func mayAddConnection(at now: MonotonicInstant) -> Bool { nextExtra.map { $0 <= now } ?? true }

    /// Removes the delays before the next attempt.
    mutating func resetDelays() {
        backoff.reset()
        nextExtra = nil
    }
}

// MARK: - Success

extension ConnectionAttempts {
    /// Whether a connection has carried a call, or was open for longer than the initial delay.
    func hasSucceeded(_ link: any SubchannelLink, at now: MonotonicInstant) -> Bool {
        link.hasCarriedCall || link.age(at: now) >= backoff.initialDelay
    }

    /// A connection has succeeded. Ends the delays of earlier failures, whichever side ends the connection.
    mutating func succeeded() { backoff.reset() }

    /// Whether the loss of a connection counts as a failed attempt.
    ///
    /// These do not count: the loss of one that has succeeded, the loss of the machine's network, an end by this
    /// side, and a graceful drain, because a server may end any connection that it does not need. The second such
    /// drain in a row counts: otherwise the client would connect without a pause to a server that drains each
    /// connection at once.
    mutating func isFailure(_ loss: LinkError, hadSucceeded: Bool) -> Bool {
        let isEarly = !hadSucceeded && loss.kind != .ownEnd
        let isFirstDrain = noteDrain(isEarly && loss.kind == .goAway(.noError))
        guard isEarly, !isFirstDrain else { return false }
        guard loss.isNetworkLoss else { return true }
        backoff.reset()
        return false
    }

    /// Whether an attempt that has ended without a connection counts as a failed one. A drain that arrives with
    /// the server's first SETTINGS is like one that arrives just after them.
    mutating func isFailure(_ failure: ConnectionFailure) -> Bool { !noteDrain(failure.wasDrained) }

    /// Returns whether the end of a connection was an early drain, and the first one in a row.
    private mutating func noteDrain(_ isDrain: Bool) -> Bool {
        wasDrainedEarly = isDrain && !wasDrainedEarly
        return wasDrainedEarly
    }
}
