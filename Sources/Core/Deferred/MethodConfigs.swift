import SwiftletTransport
import Synchronization

/// The method configs of a channel: those of its arguments, until the resolver reports others.
package final class MethodConfigs: Sendable {
    fileprivate struct State: ~Copyable {
        /// A ``MethodConfigTable``, or the resolver's selector.
        var config: any ConfigSelector
        /// Whether the config is the final one, or the resolver's. Calls wait until this is true.
        var isKnown: Bool
        /// Whether calls that do not wait for ready use the config before it is known, because the resolver
        /// or the network has failed.
        var servesOthers = false
        /// Calls that wait for the config, with the order in which they began to wait.
        var waiting: [ObjectIdentifier: (number: UInt64, call: DeferredCall)] = [:]
        var waitingNumber: UInt64 = 0
    }

    private let serverName: String
    /// The config of the channel's arguments.
    private let first: MethodConfigTable
    private let awaitsResolver: Bool
    private let state: Mutex<State>

    /// - Parameters:
    ///   - config: The config of the channel's arguments.
    ///   - serverName: The server name, which selects the retry throttle.
    ///   - awaitsResolver: Whether calls wait for the first result of the resolver, for example because it may
    ///     report another config.
    init(_ config: ServiceConfig, serverName: String, awaitsResolver: Bool) {
        self.serverName = serverName
        self.awaitsResolver = awaitsResolver
        first = MethodConfigTable(config, serverName)
        state = Mutex(State(config: first, isKnown: !awaitsResolver))
    }
}

extension MethodConfigs {
    /// Replaces the config after a result of the resolver; nil keeps the present one. Waiting calls use it.
    func use(_ config: ServiceConfig?, _ selector: (any ConfigSelector)? = nil) {
        let config = config.map { selector ?? MethodConfigTable($0, serverName) }
        // The old one is released outside the lock.
        let (released, _) = state.withLock { state in
            let old = state.config
            state.config = config ?? old
            return (state.release(), old)
        }
        for call in released.calls { call.meter?.nameIsResolved() }
        released.begin()
    }

    /// Makes calls wait for the result of the next resolver, as before the first, because this one is stopped. Removes
    /// its selector.
    func removeResult() {
        guard awaitsResolver else { return }
        let removed: any ConfigSelector = state.withLock { state in
            (state.isKnown, state.servesOthers) = (false, false)
            let old = state.config
            if !(old is MethodConfigTable) { state.config = first }
            return old
        }
        // Released outside the lock.
        _ = removed
    }

    /// Ends the wait of calls that do not wait for ready: they use the current config. Called when the
    /// resolver has failed or the network is lost. The other calls wait for the resolver's config, because
    /// they would otherwise be sent without its limits, timeouts and retries.
    ///
    /// - Parameter andLater: Whether calls that begin later do not wait either: the resolver has failed.
    func releaseOthers(andLater: Bool) {
        state.withLock { $0.releaseOthers(andLater: andLater) }.begin()
    }

    /// Makes all waiting calls use the current config. Called when the channel is closed.
    func release() { state.withLock { $0.release() }.begin() }

    /// The config; nil if the call must wait for it. ``DeferredCall/configIsKnown(_:)`` is then called later
    /// on another thread, unless the call is removed before.
    func config(orAdd call: DeferredCall) -> (any ConfigSelector)? {
        state.withLock { state in
            if state.isKnown(waitsForReady: call.waitsForReady) { return state.config }
            state.append(call)
            return nil
        }
    }

    /// Removes a call that has ended.
    func remove(_ call: DeferredCall) {
        let removed = state.withLock { $0.waiting.removeValue(forKey: ObjectIdentifier(call)) }
        // Released outside the lock.
        _ = removed
    }

    /// The number of calls that wait for the config.
    var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// What is set for a call; nil if the call must wait for the config.
    func knownSelection(for path: String, _ options: borrowing CallOptions) -> CallSelection? {
        let waitsForReady = options.waitForReady ?? false
        let config = state.withLock { $0.isKnown(waitsForReady: waitsForReady) ? $0.config : nil }
        guard let config else { return nil }
        return config.selection(for: path, options.metadata)
    }
}

/// Calls that have waited, and the config that they use: another one may follow at once, or none.
private struct ReleasedCalls {
    /// In the order in which they began to wait.
    let calls: [DeferredCall]
    let config: any ConfigSelector

    func begin() { for call in calls { call.configIsKnown(config) } }
}

extension MethodConfigs.State {
    fileprivate func isKnown(waitsForReady: Bool) -> Bool {
        isKnown || (servesOthers && !waitsForReady)
    }

    fileprivate mutating func append(_ call: DeferredCall) {
        waitingNumber += 1
        waiting[ObjectIdentifier(call)] = (waitingNumber, call)
    }

    fileprivate mutating func release() -> ReleasedCalls {
        isKnown = true
        return take { _ in true }
    }

    fileprivate mutating func releaseOthers(andLater: Bool) -> ReleasedCalls {
        if andLater { servesOthers = true }
        return take { !$0.waitsForReady }
    }

    private mutating func take(where isReleased: (DeferredCall) -> Bool) -> ReleasedCalls {
        let released = waiting.filter { isReleased($0.value.call) }
        for key in released.keys { waiting[key] = nil }
        let calls = released.values.inOrder { $0.number < $1.number }.map(\.call)
        return ReleasedCalls(calls: calls, config: config)
    }
}

extension ConfigSelector {
    /// What is set for a call. If the selector throws, that is an error with which the call fails.
    func selection(for path: String, _ metadata: Metadata) -> CallSelection {
        HeldLocks.assertNone(calling: "config selector")
        do throws(RPCError) {
            return try select(for: path, metadata)
        } catch {
            return CallSelection(CallRules(failure: error.ofControlPlane("the config selector")))
        }
    }
}

extension CallRules {
    /// Sets options that are not set, and lowers the limits and the deadline (gRPC's service_config.md). The
    /// timeout is counted from the beginning of the call, so applying the same config again has no effect.
    func apply(
        to options: inout CallOptions, begun: @autoclosure () -> MonotonicInstant,
        _ limits: MessageLimits
    ) {
        if let timeout = config.timeout {
            options.absoluteDeadline = .earlier(
                options.absoluteDeadline, Deadline(moment: begun() + timeout))
        }
        options.waitForReady = options.waitForReady ?? config.waitForReady
        options.maxSendByteCount = Self.lower(
            options.maxSendByteCount ?? limits.arguments.maxSendMessageByteCount,
            config.maxRequestByteCount)
        options.maxReceiveByteCount = Self.lower(
            options.maxReceiveByteCount ?? limits.arguments.maxReceiveMessageByteCount,
            config.maxResponseByteCount)
    }

    private static func lower(_ limit: Int?, _ other: Int?) -> Int? {
        guard let limit, let other else { return limit ?? other }
        return min(limit, other)
    }
}
