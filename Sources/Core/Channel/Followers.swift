import Synchronization

/// The followers of a value. Each receives the value's changes in an `AsyncStream`.
///
/// The owner of the value calls ``note(_:isLast:)`` under its lock, and ``tell()`` after it has
/// released the lock, because a delivery can run the program's code at once.
final class Followers<Value: Sendable>: Sendable {
    private struct Change {
        var number: Int
        var value: Value
        var isLast: Bool
    }

    private struct Follower {
        var continuation: AsyncStream<Value>.Continuation
        /// The number of changes before the follower was added.
        var changeCount: Int
    }

    private struct State {
        var followers: [UInt64: Follower] = [:]
        var nextFollower: UInt64 = 0
        var changeCount = 0
    }

    private let state = Mutex(State())
    private let changes = SerialMailbox<Change>()
}

extension Followers {
    /// Follows the value. To be called under the owner's lock.
    ///
    /// - Parameters:
    ///   - value: The current value; nil begins with the next change.
    ///   - isLast: Whether the value does not change any more.
    ///   - policy: Which changes are kept while the follower does not read.
    func follow(
        from value: Value?, isLast: Bool = false,
        buffering policy: AsyncStream<Value>.Continuation.BufferingPolicy = .unbounded
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Value.self, bufferingPolicy: policy)
        if let value { continuation.yield(value) }
        if isLast {
            continuation.finish()
            return stream
        }
        let number = state.withLock { state in
            state.nextFollower += 1
            state.followers[state.nextFollower] = Follower(
                continuation: continuation, changeCount: state.changeCount)
            return state.nextFollower
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.followers.removeValue(forKey: number) }
        }
        return stream
    }

    /// Keeps a change for delivery. To be called under the owner's lock. When it returns true, the caller
    /// must call ``tell()`` after it has released the lock.
    func note(_ value: Value, isLast: Bool = false) -> Bool {
        let number = state.withLock { state in
            state.changeCount += 1
            return state.changeCount
        }
        return changes.post(Change(number: number, value: value, isLast: isLast))
    }

    /// Delivers the changes. To be called by one thread at a time.
    func tell() {
        while let change = changes.next() {
            // Skips followers that were added after the change.
            let hearing = state.withLock { state in
                state.followers.values.filter { $0.changeCount < change.number }
            }
            for follower in hearing {
                follower.continuation.yield(change.value)
                if change.isLast { follower.continuation.finish() }
            }
        }
    }
}
