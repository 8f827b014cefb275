import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

/// A call with a policy on a backend without a network. The test ends the attempts, and fires the timers.
final class HedgedCallTrial {
    /// Keeps the cores of the attempts. No call gets a stream.
    final class Backend: ChannelBackend {
        let queue: CompletionQueue
        let openCalls = CallRegistry()
        let begun = Mutex<[CallCore]>([])
        let connectCount = Atomic(0)

        var loop: EventLoop { queue.loop }
        var limits: MessageLimits { MessageLimits() }
        var authority: String { "test" }
        var encryption: Encryption { .none }
        var connectivity: ConnectivityState { .idle }
        var events: AsyncStream<ChannelEvent> { AsyncStream { $0.finish() } }
        var snapshot: ChannelSnapshot? { nil }

        init() throws { queue = try CompletionQueue(.byHand) }

        func begin(_ call: CallCore) { begun.withLock { $0.append(call) } }
        func forget(_ call: CallCore) {}
        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
        func connectivityChanges() -> AsyncStream<ConnectivityState> {
            AsyncStream { $0.finish() }
        }
        func connect() { connectCount.add(1, ordering: .relaxed) }
        func close(grace: Duration) async {}
        func channelWasReleased() {}
        func leaveConnections() {}
    }

    /// Keeps the end of the call.
    final class Observer: CallObserver {
        let ends = Mutex<[CallEnd]>([])

        func receive(initialMetadata: Metadata) {}
        func receive(message: [UInt8], from _: any CallRequests) {}
        func messageWasWritten(wasAccepted: Bool) {}
        func receive(end: CallEnd) { ends.withLock { $0.append(end) } }
    }

    let backend: Backend
    let observer = Observer()
    let call: HedgedCall

    /// - Parameter attempts: The policy; nil if the call waits for the service config.
    init(
        _ attempts: MethodConfig.Attempts?, timeout: Duration? = nil,
        limits: MessageLimits = MessageLimits(), configs: MethodConfigs? = nil
    ) throws {
        let backend = try Backend()
        self.backend = backend
        var options = CallOptions()
        options.timeout = timeout
        let policy = attempts.map { attempts in
            MethodPolicy(settings: MethodSettings(MethodConfig([.all]) { $0.attempts = attempts }))
        }
        let method = MethodSignature(path: "/a.B/C", shape: .bidirectional, contentSubtype: nil)
        call = HedgedCall(
            options, path: "/a.B/C", limits, configs: configs ?? Self.configs(isKnown: true),
            policy: policy, backend: backend, observer: observer
        ) { options, selection, observer, _ in
            CallCore(
                CallHead(method, options, limits, selection), deadline: options.deadline,
                backend: backend,
                observer: observer)
        }
    }

    deinit { backend.queue.shutdown() }

    static func configs(isKnown: Bool) -> MethodConfigs {
        MethodConfigs(
            ServiceConfig(), serverName: "test", awaitsResolver: !isKnown, usesRetryPolicies: true)
    }

    /// A policy whose second attempt follows after an hour.
    static var retry: MethodConfig.Attempts {
        var policy = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
        policy.initialBackoff = .seconds(3_600)
        policy.maxBackoff = .seconds(3_600)
        return .retry(policy)
    }

    /// The attempts so far.
    var cores: [CallCore] { backend.begun.withLock { $0 } }

    /// The ends that the observer has received.
    var ends: [CallEnd] { observer.ends.withLock { $0 } }

    /// Ends the last attempt.
    func failAttempt(_ error: RPCError = RPCError(.unavailable, "busy")) {
        cores.last?.end(with: error, isImmediate: false)
    }

    /// Fires the timer of the next attempt.
    func wake(after duration: Duration) { call.timerFired(now: call.epoch + duration) }
}
