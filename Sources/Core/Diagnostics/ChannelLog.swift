import SwiftletTransport
import Synchronization

/// The last events of a channel, and their followers.
final class ChannelLog: Sendable {
    private struct State: ~Copyable {
        /// The oldest first.
        var recent: [ChannelEvent] = []
        var count = 0
        var isFinished = false
    }

    /// How many events are kept.
    private static let capacity = 64
    /// How many events a follower may be behind before it misses the oldest.
    private static let followerCapacity = 256

    /// When the channel was made, as the time since 1970.
    let creationTime = WallClock.now
    private let state = Mutex(State())
    private let followers = Followers<ChannelEvent>()
}

extension ChannelLog {
    /// Records an event and delivers it. Not to be called under a lock.
    func note(_ kind: ChannelEvent.Kind) {
        append(kind)
        deliver()
    }

    /// Records an event. The caller calls ``deliver()`` outside of its lock.
    func append(_ kind: ChannelEvent.Kind) {
        let event = ChannelEvent(time: WallClock.now, kind: kind)
        state.withLock { state in
            guard !state.isFinished else { return }
            state.count += 1
            if state.recent.count == Self.capacity { state.recent.removeFirst() }
            state.recent.append(event)
            if case .connectivity(.shutdown) = kind { state.isFinished = true }
            followers.note(event, isLast: state.isFinished)
        }
    }

    func deliver() { followers.tell() }

    /// Events from now on.
    func follow() -> AsyncStream<ChannelEvent> {
        state.withLock { state in
            followers.follow(
                from: nil, isLast: state.isFinished, keeping: Self.followerCapacity)
        }
    }

    /// The last events and the number of all.
    var record: (recent: [ChannelEvent], count: Int) {
        state.withLock { ($0.recent, $0.count) }
    }
}
