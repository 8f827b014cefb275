import SwiftletTransport
import Synchronization

/// The method configs of a channel: those of its arguments, until the resolver reports others.
package final class MethodConfigs: Sendable {
    /// Makes the ``CallCore`` of one attempt.
    typealias MakeCore =
        @Sendable (CallOptions, CallSelection?, any CallObserver, AttemptKind) -> CallCore

    fileprivate struct State: ~Copyable {
        var table: MethodConfigTable
        var throttle: RetryThrottle?
        /// Chooses the settings of each call in place of the table; nil without one.
        var selector: (any ConfigSelector)?
        /// Whether the config is the final one, or the resolver's. Calls wait until this is true.
        var isKnown: Bool
        /// Whether calls that do not wait for ready use the config before it is known, because the resolver
        /// or the network has failed.
        var servesOthers = false
        /// Calls that wait for the config, with the order in which they began to wait.
        var waiting: [ObjectIdentifier: (number: UInt64, call: RetryingCall)] = [:]
        var waitingNumber: UInt64 = 0
    }

    private let serverName: String
    /// Whether retry and hedging policies are used.
    private let usesRetryPolicies: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - config: The config of the channel's arguments.
    ///   - serverName: The server name, which selects the retry throttle.
    ///   - awaitsResolver: Whether the resolver may report another config, so that calls wait for its
    ///     first result.
    ///   - usesRetryPolicies: Whether retry and hedging policies are used.
    init(
        _ config: ServiceConfig, serverName: String, awaitsResolver: Bool,
        usesRetryPolicies: Bool
    ) {
        self.serverName = serverName
        self.usesRetryPolicies = usesRetryPolicies
        state = Mutex(
            State(
                table: MethodConfigTable(config.methods),
                throttle: Self.throttle(config, serverName), isKnown: !awaitsResolver))
    }

    private static func throttle(
        _ config: ServiceConfig, _ serverName: String
    ) -> RetryThrottle? {
        config.retryThrottling.map { RetryThrottles.shared.throttle(for: serverName, $0) }
    }
}

extension MethodConfigs {
    /// Replaces the config after a result of the resolver. Waiting calls use the new config.
    func use(_ config: ServiceConfig, _ selector: (any ConfigSelector)? = nil) {
        let table = MethodConfigTable(config.methods)
        let throttle = Self.throttle(config, serverName)
        // The old selector is released outside the lock.
        let (waiting, _) = state.withLock { state in
            let old = state.selector
            state.table = table
            state.throttle = throttle
            state.selector = selector
            return (state.release(), old)
        }
        for call in waiting { call.configIsKnown() }
    }

    /// Removes the selector of a resolver that is stopped. Calls wait for the next result, as before the first.
    func removeSelector() {
        let removed = state.withLock { state in
            guard state.selector != nil else { return nil as (any ConfigSelector)? }
            (state.isKnown, state.servesOthers) = (false, false)
            return state.selector.take()
        }
        // Released outside the lock.
        _ = removed
    }

    /// Ends the wait of calls that do not wait for ready: they use the current config. Called when the
    /// resolver has failed or the network is lost. The other calls wait for the resolver's config, because
    /// they would otherwise be sent without its limits, timeouts and retries.
    func releaseOthers() {
        for call in state.withLock({ $0.releaseOthers() }) { call.configIsKnown() }
    }

    /// Makes all waiting calls use the current config. Called when the channel is closed.
    func release() {
        for call in state.withLock({ $0.release() }) { call.configIsKnown() }
    }

    /// Whether the call can use the config. If not, the call waits: ``RetryingCall/configIsKnown()`` is
    /// called later on another thread, unless the call is removed before.
    func isKnown(orAdd call: RetryingCall) -> Bool {
        state.withLock { state in
            let isKnown = state.isKnown(waitsForReady: call.waitsForReady)
            if !isKnown { state.append(call) }
            return isKnown
        }
    }

    /// Removes a call that has ended.
    func remove(_ call: RetryingCall) {
        let removed = state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(call)) }
        // Released outside the lock.
        _ = removed
    }

    /// The number of calls that wait for the config.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// The policy for a call. Must be called only when the config is known.
    func policy(for path: String, _ metadata: Metadata) -> MethodPolicy {
        let (policy, selector) = state.withLock {
            ($0.policy(for: path, usesRetryPolicies), $0.selector)
        }
        return selector.map { policy.selected(by: $0, path, metadata) } ?? policy
    }

    /// The policy for a call; nil if the call must wait for the config.
    private func knownPolicy(for path: String, _ options: borrowing CallOptions) -> MethodPolicy? {
        let waitsForReady = options.waitForReady ?? false
        let (policy, selector) = state.withLock { state in
            state.isKnown(waitsForReady: waitsForReady)
                ? (state.policy(for: path, usesRetryPolicies), state.selector) : (nil, nil)
        }
        guard let policy, let selector else { return policy }
        return policy.selected(by: selector, path, options.metadata)
    }

    /// Makes the call of a method, with the options that its config allows.
    ///
    /// - Parameter begun: When the program began the call, before its interceptors.
    func makeCall(
        _ path: String, _ options: consuming CallOptions, begun: MonotonicInstant,
        _ limits: MessageLimits, _ backend: any ChannelBackend,
        observer: consuming any CallObserver,
        makeCore: @escaping MakeCore
    ) -> any CallRequests {
        let known = knownPolicy(for: path, options)
        if let known {
            known.settings?.config.apply(to: &options, begun: begun, limits)
            guard known.attempts != nil || known.selection?.filter != nil else {
                return makeCore(options, known.selection, observer, .first)
            }
        }
        return RetryingCall(
            options, path: path, begun: begun, limits, configs: self, knownPolicy: known,
            backend: backend,
            observer: observer, makeCore: makeCore)
    }
}

extension MethodConfigs.State {
    fileprivate func policy(for path: String, _ usesRetryPolicies: Bool) -> MethodPolicy {
        MethodPolicy(
            settings: selector == nil ? table.settings(for: path) : nil, throttle: throttle,
            usesRetryPolicies: usesRetryPolicies)
    }

    fileprivate func isKnown(waitsForReady: Bool) -> Bool {
        isKnown || (servesOthers && !waitsForReady)
    }

    fileprivate mutating func append(_ call: RetryingCall) {
        waitingNumber += 1
        waiting[ObjectIdentifier(call)] = (waitingNumber, call)
    }

    /// Returns the waiting calls, in the order in which they began to wait.
    fileprivate mutating func release() -> [RetryingCall] {
        isKnown = true
        defer { waiting = [:] }
        return waiting.values.inOrder { $0.number < $1.number }.map(\.call)
    }

    /// Returns the waiting calls that do not wait for ready, in the order in which they began to wait.
    fileprivate mutating func releaseOthers() -> [RetryingCall] {
        servesOthers = true
        let released = waiting.filter { !$0.value.call.waitsForReady }
        for key in released.keys { waiting[key] = nil }
        return released.values.inOrder { $0.number < $1.number }.map(\.call)
    }
}

/// The settings of a service config for one method, or of a selector for one call.
struct MethodPolicy: Sendable {
    var settings: MethodSettings?
    var throttle: RetryThrottle?
    /// Whether retry and hedging policies are used.
    var usesRetryPolicies = true
    /// Nil without a selector.
    var selection: CallSelection?
}

extension MethodPolicy {
    /// How often the call is sent, and when; nil if once.
    var attempts: MethodConfig.Attempts? { usesRetryPolicies ? settings?.config.attempts : nil }

    /// The policy with the settings that a selector chooses for a call in place of the table's.
    fileprivate func selected(
        by selector: any ConfigSelector, _ path: String, _ metadata: Metadata
    ) -> MethodPolicy {
        HeldLocks.assertNone(calling: "config selector")
        do throws(RPCError) {
            let selection = try selector.select(for: path, metadata)
            return MethodPolicy(
                settings: selection.settings, throttle: throttle,
                usesRetryPolicies: usesRetryPolicies, selection: selection)
        } catch {
            return MethodPolicy(
                selection: CallSelection(failure: error.ofControlPlane("the config selector")))
        }
    }
}

extension MethodConfig {
    /// Sets options that are not set, and lowers the limits and the deadline (gRPC's service_config.md). The
    /// timeout is counted from the beginning of the call, so applying the same config again has no effect.
    func apply(
        to options: inout CallOptions, begun: MonotonicInstant, _ limits: MessageLimits
    ) {
        if let timeout {
            options.absoluteDeadline = .earlier(
                options.absoluteDeadline, Deadline(moment: begun + timeout))
        }
        options.waitForReady = options.waitForReady ?? waitForReady
        options.maxSendByteCount = Self.lower(
            options.maxSendByteCount ?? limits.maxSendByteCount, maxRequestByteCount)
        options.maxReceiveByteCount = Self.lower(
            options.maxReceiveByteCount ?? limits.maxReceiveByteCount, maxResponseByteCount)
    }

    private static func lower(_ limit: Int?, _ other: Int?) -> Int? {
        guard let limit, let other else { return limit ?? other }
        return min(limit, other)
    }
}
