import Synchronization

/// Those who follow a value that somebody else keeps: each has a sequence of what it is and becomes.
///
/// Whoever keeps the value notes its changes under the lock that it is kept with, and tells them
/// when it has let go of that: what follows may run code of the program's at once.
final class Followers<Value: Sendable>: Sendable {
    private struct Change {
        var number: Int
        var value: Value
        var isLast: Bool
    }

    private struct Follower {
        var continuation: AsyncStream<Value>.Continuation
        /// How many changes there had been when it began.
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
    /// What the value is and becomes. To be called under the keeper's lock.
    ///
    /// - Parameters:
    ///   - value: What it is; nil begins with the next change.
    ///   - isLast: Whether it does not change any more.
    ///   - policy: What happens to changes while the follower does not read.
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

    /// Takes down what the value has become. To be called under the keeper's lock; whoever is told
    /// `true` has to call ``tell()`` behind it.
    func note(_ value: Value, isLast: Bool = false) -> Bool {
        let number = state.withLock { state in
            state.changeCount += 1
            return state.changeCount
        }
        return changes.post(Change(number: number, value: value, isLast: isLast))
    }

    /// Tells what was taken down. One thread at a time may.
    func tell() {
        while let change = changes.next() {
            // All but those who began when the change had been made already.
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
