import SwiftletTransport
import Synchronization

@testable import SwiftletCore

extension HTTP1PoolTests {
    final class Link: PooledConnection {
        let begun: MonotonicInstant
        let idleSince: MonotonicInstant
        let hasResponded: Bool
        init(
            begun: MonotonicInstant = .init(nanoseconds: 0),
            idleSince: MonotonicInstant = .init(nanoseconds: 0), hasResponded: Bool = false
        ) {
            self.begun = begun
            self.idleSince = idleSince
            self.hasResponded = hasResponded
        }
    }

    final class Call: PooledCall {
        let waitsForReady: Bool
        private let ended = Atomic(false)
        var isEnded: Bool { ended.load(ordering: .relaxed) }
        init(waitsForReady: Bool = false) { self.waitsForReady = waitsForReady }
        func end() { ended.store(true, ordering: .relaxed) }
    }

    /// Wraps the pool in a class, because an expectation cannot call a mutating function of a value.
    @dynamicMemberLookup
    final class Pool {
        private var pool: HTTP1Pool<Link, Call>

        init(maxCount: Int) {
            pool = HTTP1Pool(
                maxCount: maxCount,
                Backoff.Configuration(initial: .seconds(1), maximum: .seconds(120)))
        }

        subscript<Value>(dynamicMember path: KeyPath<HTTP1Pool<Link, Call>, Value>) -> Value {
            pool[keyPath: path]
        }

        func add(_ call: Call) { pool.add(call) }
        func putBack(_ call: Call) { pool.putBack(call) }
        func free(_ link: Link) { pool.free(link) }
        func remove(_ link: Link) { _ = pool.remove(link, now: start) }
        /// Removes a connection that was lost. Returns the calls that fail.
        func lose(_ link: Link, now: MonotonicInstant) -> [Call] {
            failed(pool.remove(link, loss: failure, now: now))
        }
        func takeEnded() -> [Call] { pool.takeEnded() }
        func takeFree(idleSince moment: MonotonicInstant? = nil) -> [Link] {
            pool.takeFree(idleSince: moment)
        }
        func nextStep(now: MonotonicInstant = start) -> HTTP1Pool<Link, Call>.Step? {
            pool.nextStep(now: now)
        }
        func retryTime(now: MonotonicInstant) -> MonotonicInstant? { pool.retryTime(now: now) }
        func beginAttempt(now: MonotonicInstant) -> Bool { pool.beginAttempt(now: now) }
        func attemptSucceeded(_ link: Link) { pool.attemptSucceeded(link) }
        /// Ends an attempt. Returns the calls that fail.
        @discardableResult
        func attemptFailed(begun: MonotonicInstant) -> [Call] {
            failed(pool.attemptFailed(failure, begun: begun))
        }
        private func failed(_ steps: [HTTP1Pool<Link, Call>.Step]) -> [Call] {
            steps.compactMap { step in
                if case .fail(let call, _, _) = step { call } else { nil }
            }
        }
        func attemptEnded() { pool.attemptEnded() }
        func resetBackoff() { pool.resetBackoff() }

        /// The number of connection attempts that the pool begins for the waiting calls.
        func attempts() -> Int {
            var count = 0
            while case .connect = nextStep() { count += 1 }
            return count
        }

        /// The call that gets the next connection; nil if none does.
        func opened() -> Call? {
            if case .open(let call, _) = nextStep() { call } else { nil }
        }

        /// Whether the pool has nothing to do.
        func isWaiting(now: MonotonicInstant = start) -> Bool {
            if case nil = nextStep(now: now) { true } else { false }
        }
    }

    static let start = MonotonicInstant(nanoseconds: 1_000_000_000_000)
    static let failure = ConnectionFailure(phase: .connect, cause: "refused")
}
