import SwiftletCore

/// Makes the attempts of a call with a hedging policy. Keeps the channel open, and the cluster of the call in the
/// resolver's configuration, so the call releases it when no attempt follows, outside of every lock.
final class AttemptMaker: Sendable {
    private let channel: Channel
    private let method: MethodSignature
    private let meter: (any CallMeter)?
    private let selection: CallSelection

    init(_ channel: Channel, _ call: borrowing NewCall, _ selection: consuming CallSelection) {
        self.channel = channel
        method = call.method
        meter = call.meter
        self.selection = selection
    }
}

extension AttemptMaker {
    var throttle: RetryThrottle? { selection.rules?.throttle }
    var maxAttemptCount: Int { channel.limits.arguments.maxAttemptCount }
    var maxReplayByteCount: Int { channel.limits.arguments.maxReplayByteCount }
    var loop: EventLoop { channel.backend.loop }
    /// Where the call is registered from its start to its end.
    var openCalls: CallRegistry { channel.backend.openCalls }

    /// An attempt, not started yet.
    func make(
        _ options: consuming CallOptions, _ observer: any CallObserver, _ kind: AttemptKind
    ) -> any CallRequests {
        // Without the cluster, which the call itself keeps.
        let own = CallSelection(selection.rules, requestHash: selection.requestHash)
        return channel.makeCore(method, options, own, observer, meter, kind)
    }
}
