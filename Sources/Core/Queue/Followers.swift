import SwiftletTransport
import Synchronization

/// The followers of a value. Each receives the value's changes in an `AsyncStream`.
///
/// The owner of the value calls ``note(_:isLast:)`` under its lock, and ``tell()`` after it has
/// released the lock, because a delivery can run the program's code at once.
final class Followers<Value: Sendable>: Sendable {
    private typealias Follower = AsyncStream<Value>.Continuation

    private struct Change {
        var value: Value
        var isLast: Bool
        /// Without those that were added after the change.
        var followers: [Follower]
    }

    private struct State: ~Copyable {
        /// In the order of their numbers. There are few, and a table would be compiled for each type of value.
        var followers: [(number: UInt64, follower: Follower)] = []
        var lastNumber: UInt64 = 0
        var changes = Backlog<Change>()
        var deliverer = SingleDeliverer()
    }

    private let state = Mutex(State())

    /// Nothing changes the value any more. An `AsyncStream` does not end by itself when its source is released.
    deinit {
        for (_, follower) in state.withLock({ $0.followers }) { follower.finish() }
    }
}

extension Followers {
    /// Follows the value. To be called under the owner's lock.
    ///
    /// - Parameters:
    ///   - value: The current value; nil begins with the next change.
    ///   - isLast: Whether the value does not change any more.
    ///   - maxCount: The most changes that are kept while the follower does not read: the newest.
    func follow(
        from value: Value?, isLast: Bool = false,
        keeping maxCount: Int = 64
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: .bufferingNewest(maxCount))
        if let value { continuation.yield(value) }
        if isLast {
            continuation.finish()
            return stream
        }
        let number = state.withLock { state in
            state.lastNumber += 1
            state.followers.append((state.lastNumber, continuation))
            return state.lastNumber
        }
        continuation.onTermination = { [weak self] _ in
            let removed = self?.state.withLock { state in
                state.followers.firstIndex { $0.number == number }
                    .map { state.followers.remove(at: $0) }
            }
            // Released outside the lock.
            _ = removed
        }
        return stream
    }

    /// Keeps a change for delivery. To be called under the owner's lock.
    func note(_ value: Value, isLast: Bool = false) {
        state.withLock { state in
            guard !state.followers.isEmpty else { return }
            state.changes.append(
                Change(value: value, isLast: isLast, followers: state.followers.map(\.follower)))
        }
    }

    /// Delivers the changes, unless another thread delivers them.
    func tell() {
        HeldLocks.assertNone(calling: "follower")
        guard state.withLock({ $0.deliverer.begin() }) else { return }
        while let change = state.withLock({ $0.deliverer.next($0.changes.popFirst()) }) {
            for follower in change.followers {
                follower.yield(change.value)
                if change.isLast { follower.finish() }
            }
        }
    }
}
