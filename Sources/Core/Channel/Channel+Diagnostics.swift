import SwiftletTransport
import Synchronization

extension Channel {
    /// The changes of the channel from now on: of its connectivity, its endpoints and its
    /// connections.
    ///
    /// ```swift
    /// for await event in channel.events { print(event) }
    /// ```
    ///
    /// The stream ends with the channel's shutdown. A reader that is more than 256 events behind misses the
    /// oldest ones. On a channel that a `FakeChannel` provides, the stream is empty.
    public var events: AsyncStream<ChannelEvent> {
        core?.log.follow() ?? AsyncStream { $0.finish() }
    }

    /// The current state of the channel and its connections; nil for a channel that a `FakeChannel` provides.
    /// Takes the locks of all connections, one after the other, and makes two system calls for each.
    public var snapshot: ChannelSnapshot? { core?.snapshot }

    /// The snapshots of all channels of the process that were not closed, in the order in which the
    /// channels were made.
    public static var snapshots: [ChannelSnapshot] { ChannelList.all.map(\.snapshot) }
}

// MARK: - Snapshots

extension ChannelCore {
    var snapshot: ChannelSnapshot {
        let (connectivity, policy, waiting, members, unsent, past) = state.withLock { state in
            (
                state.connectivity, state.policyName, state.waiting.count,
                Array(state.members.values), state.unsentFailureCount, state.pastCounts.calls
            )
        }
        let subchannels = members.map(\.snapshot).inOrder { $0.id < $1.id }
        var calls = past
        for subchannel in subchannels { calls += subchannel.calls }
        calls.started += unsent
        calls.failed += unsent
        let record = log.record
        return ChannelSnapshot(
            id: diagnosticID, target: target.text, connectivity: connectivity, policy: policy,
            calls: calls, waitingCallCount: waiting, events: record.recent,
            eventCount: record.count, creationTime: log.creationTime, subchannels: subchannels)
    }
}

extension SubchannelCore {
    var snapshot: SubchannelSnapshot {
        let (addresses, links, report) = state.withLock { state in
            (
                state.life.addresses.list, state.life.links,
                state.life.report(target: plan.target)
            )
        }
        let connections =
            links.open.map { $0.snapshot(isDraining: false) }
            + links.draining.map { $0.snapshot(isDraining: true) }
        var calls = links.pastCounts.calls
        for connection in connections { calls += connection.streams }
        return SubchannelSnapshot(
            id: diagnosticID, addresses: addresses.map { ServerAddress($0) },
            connectivity: report.connectivity, failure: report.failure, calls: calls,
            connections: connections)
    }
}

extension Link {
    package func snapshot(isDraining: Bool) -> ConnectionSnapshot {
        let (streams, window, pings) = state.withLock { state in
            (
                state.callCounts(), state.connection.sendWindowByteCount,
                state.connection.counts.sentPings
            )
        }
        return ConnectionSnapshot(
            of: self, wire, isDraining: isDraining, streams: streams, sendWindowByteCount: window,
            sentPingCount: pings)
    }
}
