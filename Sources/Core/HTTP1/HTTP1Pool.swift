import SwiftletTransport

/// A connection in a pool.
protocol PooledConnection: AnyObject, Sendable {
    /// When the attempt that made it began.
    var begun: MonotonicInstant { get }
    /// When it last carried a call; when it was made if it has carried none.
    var idleSince: MonotonicInstant { get }
    /// Whether the server has begun a response on it.
    var hasResponded: Bool { get }
}

/// A call that waits in a pool for a connection.
protocol PooledCall: AnyObject, Sendable {
    var isEnded: Bool { get }
    /// Whether the call waits while no connection can be made.
    var waitsForReady: Bool { get }
}

/// The connections of an ``HTTP1Channel`` and the calls that wait for one, without I/O: functions
/// return the actions to perform.
struct HTTP1Pool<Link: PooledConnection, Call: PooledCall>: Sendable {
    /// What to do next for the calls that wait.
    enum Step {
        case open(Call, Link)
        case connect
        case fail(Call, ConnectionFailure, nextAttempt: MonotonicInstant?)
    }

    private let maxCount: Int
    /// Connections that carry no call. The last one was used last.
    private(set) var free: [Link] = []
    private(set) var busy: [Link] = []
    /// An ended call stays until ``takeEnded()`` removes it.
    private(set) var waiting: [Call] = []
    /// The number of waiting calls at which they are searched for ended ones.
    private var searchCount = Self.leastSearchCount
    /// Attempts to connect that are under way.
    private var attemptCount = 0
    private var backoff: Backoff
    private(set) var lastFailure: ConnectionFailure?
    /// After a failure no connection is tried before this moment.
    private(set) var nextAttempt: MonotonicInstant?

    private static var leastSearchCount: Int { 128 }

    init(maxCount: Int, _ backoff: Backoff.Configuration) {
        self.maxCount = max(1, maxCount)
        self.backoff = Backoff(backoff)
    }
}

extension HTTP1Pool {
    var links: [Link] { free + busy }

    var isUnused: Bool { busy.isEmpty && waiting.allSatisfy(\.isEnded) }

    /// The connectivity that the pool offers to a call now.
    var connectivity: ConnectivityState {
        if !links.isEmpty { return .ready }
        if attemptCount > 0, lastFailure == nil { return .connecting }
        return lastFailure == nil ? .idle : .transientFailure
    }

    mutating func add(_ call: Call) { waiting.append(call) }

    /// Removes the ended calls at the front. When the number of waiting calls has doubled since the
    /// last full search, and is at least 128, removes all ended calls. The caller releases the
    /// result outside its lock.
    mutating func takeEnded() -> [Call] {
        guard waiting.count < searchCount else {
            let calls = waiting
            waiting = calls.filter { !$0.isEnded }
            searchCount = max(Self.leastSearchCount, waiting.count * 2)
            return calls
        }
        let count = waiting.firstIndex { !$0.isEnded } ?? waiting.count
        defer { waiting.removeFirst(count) }
        return Array(waiting.prefix(count))
    }

    /// The next step; nil when all remaining calls have to wait.
    mutating func nextStep(now: MonotonicInstant) -> Step? {
        guard let call = waiting.first else { return nil }
        if let link = free.popLast() {
            busy.append(link)
            waiting.removeFirst()
            return .open(call, link)
        }
        if links.count + attemptCount < maxCount, attemptCount < waiting.count,
            nextAttempt.map({ $0 <= now }) ?? true
        {
            attemptCount += 1
            return .connect
        }
        // While there is a connection or an attempt, the call waits for it.
        guard links.isEmpty, attemptCount == 0, let lastFailure,
            let index = waiting.firstIndex(where: { !$0.waitsForReady })
        else { return nil }
        return .fail(waiting.remove(at: index), lastFailure, nextAttempt: nextAttempt)
    }

    /// The time at which a waiting call may cause an attempt; nil if it waits for something else,
    /// such as an attempt that is being made or a connection that is busy.
    func retryTime(now: MonotonicInstant) -> MonotonicInstant? {
        guard !waiting.isEmpty, let nextAttempt, nextAttempt > now else { return nil }
        return nextAttempt
    }

    /// Begins an attempt before there is a call. False if there is a connection or an attempt, or
    /// the delay has not passed.
    mutating func beginAttempt(now: MonotonicInstant) -> Bool {
        guard links.isEmpty, attemptCount == 0, nextAttempt.map({ $0 <= now }) ?? true else {
            return false
        }
        attemptCount += 1
        return true
    }

    /// An attempt has made a connection. The delay after earlier failures stays until a connection
    /// has proved to be useful.
    mutating func attemptSucceeded(_ link: Link) {
        attemptCount -= 1
        lastFailure = nil
        free.append(link)
    }

    /// An attempt that began at `begun` has failed. The delay until the next attempt counts from
    /// `begun`, and may have passed already.
    ///
    /// Returns a step for each call that fails with it: all waiting calls, except those that wait
    /// for ready. No call fails while there is a connection or another attempt.
    mutating func attemptFailed(
        _ failure: ConnectionFailure, begun: MonotonicInstant
    ) -> [Step] {
        attemptCount -= 1
        return noteFailure(failure, begun: begun)
    }

    private mutating func noteFailure(
        _ failure: ConnectionFailure, begun: MonotonicInstant
    ) -> [Step] {
        // If attempts that ran at the same time fail, only the first failure sets the delay.
        let isBesideAnother = nextAttempt.map { begun < $0 } ?? false
        if !isBesideAnother { nextAttempt = begun + backoff.next() }
        var failure = failure
        failure.attemptNumber = backoff.attemptCount
        lastFailure = failure
        guard links.isEmpty, attemptCount == 0 else { return [] }
        return takeWaiting { !$0.waitsForReady }
            .map { .fail($0, failure, nextAttempt: nextAttempt) }
    }

    /// An attempt was cancelled, or its connection is not used by this pool.
    mutating func attemptEnded() { attemptCount -= 1 }

    /// Removes the delay before the next attempt.
    mutating func resetBackoff() {
        backoff.reset()
        nextAttempt = nil
    }

    /// Puts a call back that its connection refused. It is the next to get a connection.
    mutating func putBack(_ call: Call) { waiting.insert(call, at: 0) }

    mutating func free(_ link: Link) {
        guard let index = busy.firstIndex(where: { $0 === link }) else { return }
        if link.hasResponded { resetBackoff() }
        free.append(busy.remove(at: index))
    }

    /// Removes a connection that has ended.
    ///
    /// A short-lived connection that was lost before a response counts as a failed attempt:
    /// otherwise the client would connect without a pause to a server that accepts connections and
    /// closes them. Returns a step for each call that fails with it.
    ///
    /// - Parameter loss: Why it was lost. Nil, the default, if this side has ended it.
    mutating func remove(
        _ link: Link, loss: ConnectionFailure? = nil, now: MonotonicInstant
    ) -> [Step] {
        free.removeAll { $0 === link }
        busy.removeAll { $0 === link }
        if link.hasResponded || link.begun + backoff.initialDelay <= now {
            resetBackoff()
            return []
        }
        return loss.map { noteFailure($0, begun: link.begun) } ?? []
    }

    mutating func takeWaiting(where isTaken: (Call) -> Bool = { _ in true }) -> [Call] {
        let taken = waiting.filter(isTaken)
        waiting.removeAll(where: isTaken)
        return taken
    }

    /// Removes the connections that carry no call and have carried none since `moment`; nil removes
    /// all that carry no call.
    mutating func takeFree(idleSince moment: MonotonicInstant? = nil) -> [Link] {
        let taken = free.filter { link in moment.map { link.idleSince <= $0 } ?? true }
        free.removeAll { link in taken.contains { $0 === link } }
        return taken
    }
}
