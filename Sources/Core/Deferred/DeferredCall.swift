import SwiftletTransport
import Synchronization

/// A call that cannot be made yet: it waits for the metadata of its credentials, for the service config, or for a step
/// that the config selector puts before it. Keeps the requests until then. After that, it passes them to the call that
/// the channel makes, whose responses go to the observer directly.
final class DeferredCall: CallRequests {
    /// Makes the call when what is set for it is known.
    typealias Make = @Sendable (consuming NewCall, consuming CallSelection) -> any CallRequests

    let method: MethodSignature
    /// Whether the options of the call set ``CallOptions/waitForReady``.
    let waitsForReady: Bool
    let meter: (any CallMeter)?
    private let isAwaited: Bool
    /// When the call began.
    private let begun: MonotonicInstant
    /// Nil in a channel without a service config.
    private let configs: MethodConfigs?
    private let limits: MessageLimits
    private let backend: any ChannelBackend
    private let deadlineTimer = TimerSlot()
    private let state: Mutex<State>

    /// - Parameters:
    ///   - selection: Nil if it is not known.
    ///   - make: Keeps the channel until the call is made or over.
    init(
        _ call: consuming NewCall, _ selection: consuming CallSelection?, _ configs: MethodConfigs?,
        _ limits: MessageLimits, _ backend: any ChannelBackend, make: @escaping Make
    ) {
        method = call.method
        meter = call.meter
        begun = call.begun ?? .now
        isAwaited = call.observer.isAwaited
        waitsForReady = call.options.waitForReady ?? false
        self.configs = configs
        self.limits = limits
        self.backend = backend
        var options = call.options
        options.beginTimeout()
        state = Mutex(State(call.observer, options, selection, make))
    }
}

// MARK: - The start

extension DeferredCall {
    func start() {
        guard let deadline = state.withLock({ $0.start() }) else { return }
        if let error = backend.openCalls.add(self) {
            end(with: error)
            return
        }
        schedule(deadline)
        if let credentials = state.withLock({ $0.takeCredentials() }) {
            authenticate(with: credentials)
        } else {
            chooseConfig()
        }
        // The call may have been made, or have ended, before it was registered.
        if !state.withLock({ $0.isWaiting }) { unregister() }
    }

    func start(only message: consuming EncodedMessage) {
        var message: EncodedMessage? = message
        state.withLock { $0.only = message.take() }
        start()
    }

    /// Gets the metadata of the call's credentials, and continues.
    private func authenticate(with credentials: any CallCredentials) {
        HeldLocks.assertNone(calling: "call credentials")
        let call = CallDescription(
            method, authority: state.withLock { $0.options.authority }, backend)
        guard call.encryption != .none || credentials.allowsInsecureConnections else {
            end(with: .insecureConnection, dropsUnread: false)
            return
        }
        if let metadata = credentials.cachedMetadata(for: call) {
            return add(metadata, of: credentials, for: call)
        }
        let task = Task { [self] in
            do throws(RPCError) {
                add(try await credentials.metadata(for: call), of: credentials, for: call)
            } catch {
                end(with: error.ofControlPlane("the call credentials"), dropsUnread: false)
            }
        }
        keep(for: .credentials) { task.cancel() }
    }

    private func add(
        _ metadata: Metadata, of credentials: any CallCredentials, for call: CallDescription
    ) {
        let isWaiting = state.withLock { state in
            if state.isWaiting { state.options.add(metadata, of: credentials, for: call) }
            return state.isWaiting
        }
        // A call that has ended must not wake an idle channel.
        if isWaiting { chooseConfig() }
    }

    private func chooseConfig() {
        if let selection = state.withLock({ $0.beginChoice() }) {
            begin(selection)
        } else if let config = configs?.config(orAdd: self) {
            configIsKnown(config)
        } else if configs == nil {
            begin(CallSelection(nil))
        } else {
            // The resolver of an idle channel starts with the first call.
            backend.connect()
            // The call may have ended before it was added.
            if !state.withLock({ $0.isWaiting }) { unregister() }
        }
    }

    /// Also called later, if the call has waited for the config.
    func configIsKnown(_ config: any ConfigSelector) {
        let metadata = state.withLock { $0.options.metadata }
        begin(config.selection(for: method.path, metadata))
    }

    /// Makes the call, after the step that the selector may have put before it.
    private func begin(_ selection: consuming CallSelection) {
        let rules = selection.rules
        var known: CallSelection? = selection
        let (isWaiting, sooner): (Bool, Deadline?) = state.withLock { state in
            guard state.isWaiting else { return (false, nil) }
            let deadline = state.options.absoluteDeadline
            rules?.apply(to: &state.options, begun: begun, limits)
            state.beginStep(known.take())
            let sooner = state.options.absoluteDeadline
            return (true, sooner == deadline ? nil : sooner)
        }
        guard isWaiting else { return }
        if let sooner { schedule(sooner) }
        guard let filter = rules?.filter else { return make() }
        HeldLocks.assertNone(calling: "call filter")
        let whenEnded = filter.begin { [self] error in
            if let error { end(with: error, dropsUnread: false) } else { make() }
        }
        if let whenEnded { keep(for: .step, whenEnded) }
    }

    /// Keeps what tells the credentials, or the selector's step, that the call has ended.
    private func keep(for reason: State.Reason, _ whenEnded: @escaping @Sendable () -> Void) {
        if state.withLock({ $0.keep(for: reason, whenEnded) }) { whenEnded() }
    }

    private func make() {
        guard let parts = state.withLock({ $0.beginMaking() }) else { return }
        let below = parts.make(
            NewCall(
                method: method, options: parts.options, observer: parts.observer, meter: meter,
                begun: begun), parts.selection)
        unregister()
        deadlineTimer.close()
        if let failure = state.withLock({ $0.made(below) }) { return below.fail(failure) }
        if let only = parts.only {
            below.start(only: only)
        } else {
            for request in state.withLock({ $0.takeRequests() }) { request.make(of: below) }
            below.start()
        }
        while let requests = state.withLock({ $0.nextRequests() }) {
            for request in requests { request.make(of: below) }
        }
    }

    private func schedule(_ deadline: Deadline) {
        guard let instant = deadline.moment else { return }
        deadlineTimer.schedule(
            self, at: instant, on: backend.loop.timerLoop(isAwaited: isAwaited))
    }

    /// Removes the call from the channel's lists.
    private func unregister() {
        backend.openCalls.remove(self)
        configs?.remove(self)
    }
}

// MARK: - Requests

extension DeferredCall {
    func write(_ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool) {
        pass(.write(message, allowsCompression: allowsCompression, andFinish: andFinish))
    }

    func finish() { pass(.finish) }

    func receiveNext() { pass(.receiveNext) }

    private func pass(_ request: CallRequest) {
        if let below = state.withLock({ $0.keep(request) }) { request.make(of: below) }
    }

    func fail(_ error: RPCError) { end(with: error)?.fail(error) }

    var errorOfUnreadEnd: RPCError? { below?.errorOfUnreadEnd }

    var mayHaveSent: Bool { below?.mayHaveSent ?? false }

    private var below: (any CallRequests)? { state.withLock { $0.below } }
}

// MARK: - The end before the call is made

extension DeferredCall: RegisteredCall, TimerTarget {
    func channelWasClosed(_ error: RPCError) { end(with: error) }

    /// The deadline has passed.
    func timerFired(now: MonotonicInstant) {
        let reason = state.withLock { $0.reason }
        var error = RPCError(.deadlineExceeded, "the deadline passed \(reason.text)")
        if reason == .config { error.phase = .resolve }
        end(with: error)
    }

    /// Ends the call, unless it was made. Returns the call that was made.
    ///
    /// - Parameter dropsUnread: Whether responses of an earlier call, which an interceptor has replaced by this one, are
    ///   dropped if they are not read yet.
    @discardableResult
    private func end(with error: RPCError, dropsUnread: Bool = true) -> (any CallRequests)? {
        let ending = state.withLock { $0.end(error) }
        switch consume ending {
        case .here(let parts): end(with: error, dropsUnread: dropsUnread, parts)
        case .below(let below): return below
        case .none: break
        }
        return nil
    }

    private func end(with error: RPCError, dropsUnread: Bool, _ parts: consuming Parts) {
        unregister()
        deadlineTimer.close()
        parts.whenEnded?()
        var error = error.notExecuted
        error.note(waited: begun.duration(to: .now), method: method.path)
        var end = CallEnd(error: error)
        end.dropsUnread = dropsUnread
        HeldLocks.assertNone(calling: "observer")
        parts.observer.receive(end: end)
    }
}
