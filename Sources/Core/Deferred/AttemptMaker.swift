/// Makes the attempts for a call of an ``AttemptPolicy``. Keeps the channel open, and the cluster of the call in the
/// resolver's configuration, so the call releases it when no attempt follows, outside of every lock.
package final class AttemptMaker: Sendable {
    private let channel: Channel
    private let method: MethodSignature
    private let meter: (any CallMeter)?
    /// That of the attempts.
    private let policy: MethodPolicy
    private let cluster: (any KeptCluster)?

    init(_ channel: Channel, _ call: borrowing NewCall, _ policy: consuming MethodPolicy) {
        self.channel = channel
        method = call.method
        meter = call.meter
        cluster = policy.selection?.cluster
        self.policy = policy.withoutCluster
    }
}

extension AttemptMaker {
    package var throttle: RetryThrottle? { policy.throttle }
    package var maxReplayByteCount: Int { channel.limits.maxReplayByteCount }
    package var loop: EventLoop { channel.backend.loop }
    /// Where the call is registered from its start to its end.
    package var openCalls: CallRegistry { channel.backend.openCalls }

    /// An attempt, not started yet.
    package func make(
        _ options: consuming CallOptions, _ observer: any CallObserver, _ kind: AttemptKind
    ) -> any CallRequests {
        channel.makeCore(method, options, policy.withoutCluster, observer, meter, kind)
    }
}
