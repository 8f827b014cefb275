import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

/// A call on a backend without a network, with or without a policy. The test ends the attempts, and fires the timers.
final class CallTrial {
    /// Keeps the cores of the attempts. No call gets a stream.
    final class Backend: ChannelBackend {
        let queue: CompletionQueue
        let openCalls = CallRegistry()
        let begun = Mutex<[CallCore]>([])
        /// Whether each attempt fails when it begins.
        let failsAtOnce = Atomic(false)
        let connectCount = Atomic(0)
        let limits: MessageLimits
        let methodConfigs: MethodConfigs?
        let metrics: (any ChannelMeter)? = nil

        var loop: EventLoop { queue.loop }
        var authority: String { "test" }
        var encryption: Encryption { .none }
        var connectivity: ConnectivityState { .idle }

        init(
            _ methodConfigs: MethodConfigs? = nil, limits: MessageLimits = MessageLimits()
        ) throws {
            queue = try CompletionQueue(.byHand)
            self.limits = limits
            self.methodConfigs = methodConfigs
        }

        func begin(_ call: CallCore) {
            begun.withLock { $0.append(call) }
            guard failsAtOnce.load(ordering: .relaxed) else { return }
            call.attemptFailed(with: RPCError(.unavailable, "busy"))
        }
        func forget(_ call: CallCore) {}
        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
        func connectivityChanges() -> AsyncStream<ConnectivityState> {
            AsyncStream { $0.finish() }
        }
        func connect() { connectCount.add(1, ordering: .relaxed) }
        func close(grace: Duration) async {}
        func channelWasReleased() {}
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
    let configs: MethodConfigs
    let observer = Observer()
    let call: any CallRequests

    /// - Parameter attempts: The policy; nil for none.
    init(
        _ attempts: MethodConfig.Attempts?, timeout: Duration? = nil,
        limits: MessageLimits = MessageLimits(), isKnown: Bool = true,
        meter: (any CallMeter)? = nil
    ) throws {
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { $0.attempts = attempts }]
        configs = MethodConfigs(
            config, serverName: "test", awaitsResolver: !isKnown)
        backend = try Backend(configs, limits: limits)
        var options = CallOptions()
        options.timeout = timeout
        let method = MethodSignature(path: "/a.B/C", shape: .bidirectional, contentSubtype: nil)
        call = Channel(backend: backend).makeBare(
            NewCall(method: method, options: options, observer: observer, meter: meter))
    }

    deinit {
        // The cores and their backend keep each other, and with them the descriptors of the queue.
        _ = backend.begun.withLock { exchange(&$0, with: []) }
        backend.queue.shutdown()
    }

    /// A policy whose second attempt follows after an hour.
    static var retry: MethodConfig.Attempts {
        var policy = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
        policy.initialBackoff = .seconds(3_600)
        policy.maxBackoff = .seconds(3_600)
        return .retry(policy)
    }

    /// A policy whose second attempt follows after an hour.
    static var hedging: MethodConfig.Attempts {
        var policy = HedgingPolicy(maxAttempts: 2)
        policy.delay = .seconds(3_600)
        policy.nonFatalCodes = [.unavailable]
        return .hedging(policy)
    }

    /// The cores that looked for a stream, in this order. One that retries does so again.
    var cores: [CallCore] { backend.begun.withLock { $0 } }

    /// The ends that the observer has received.
    var ends: [CallEnd] { observer.ends.withLock { $0 } }

    /// Gives the last attempt a stream.
    func attach(to carrier: any StreamCarrier = ResendTests.Carrier()) throws {
        guard let core = cores.last else { return }
        let request = try core.takenRequest()
        _ = core.attach(
            to: carrier, StreamHandle(slot: 0, generation: 1),
            ConnectionRecord(peer: "nowhere", ConnectionTimes(begun: .now)),
            attempt: request.attempt)
    }

    /// Ends the last attempt.
    func failAttempt(_ error: RPCError = RPCError(.unavailable, "busy")) {
        cores.last?.attemptFailed(with: error)
    }

    /// Ends the last attempt by trailers that ask for an hour before the next one.
    func pushBack() {
        var trailers = Metadata()
        trailers.append(received: .text("3600000"), for: RetryPushback.name)
        let end = ResponseEnd(error: RPCError(.unavailable, "busy"), trailers: trailers)
        cores.last?.receive(CallArrival(end: end), at: .now)
    }

    /// Fires the timer of the next attempt.
    func wake() {
        if let call = call as? HedgedCall {
            call.timerFired(now: call.epoch + .seconds(36_000))
        } else {
            call.core?.beginNextAttempt()
        }
    }
}

extension CallCore {
    /// What a connection takes when it opens a stream. Throws if the call wants none.
    func takenRequest() throws -> RequestLog.Portion {
        struct WantsNone: Error {}
        guard let request = takeRequest() else { throw WantsNone() }
        return request
    }
}

extension MessageLimits {
    /// The limits of a channel that keeps `byteCount` bytes of a request, to send them again.
    static func keeping(_ byteCount: Int) -> MessageLimits {
        var arguments = ChannelArguments()
        arguments.maxReplayByteCount = byteCount
        return MessageLimits(arguments)
    }
}
