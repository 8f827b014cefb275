public import SwiftletCore
import SwiftletInterceptors
import Synchronization

/// Prevents the same request from running twice at the same time.
///
/// Requests are the same if their paths, metadata and bytes are equal. JSON-RPC requests are
/// compared without their IDs. Metadata that differs between equal requests can be named in
/// `ignoredHeaders`. The policy decides what happens to the second request.
///
/// ```swift
/// let guarding = DuplicateGuard(.join)
/// let channel = try Channel(target, credentials: .insecure, interceptors: [.all(guarding.interceptor)])
/// ```
///
/// The guard applies to calls with one request message. A call with a stream of requests is not
/// compared, because its messages are not known at its start. A call with a stream of responses is
/// compared, but not joined: ``Policy/join`` sends both, because one stream cannot wait for two readers.
public final class DuplicateGuard: Sendable {
    /// What happens to a call that equals a running one.
    @nonexhaustive
    public enum Policy: Hashable, Sendable {
        /// The second call fails at once with CANCELLED and this message.
        case refuse(message: String)
        /// The second call gets the response of the first. The call continues until all of its
        /// callers have cancelled, and at most until the deadline of the first. Calls with a stream
        /// of responses are both sent.
        case join
        /// The first call fails with CANCELLED, and the second is sent.
        case cancelPrevious
        /// Both calls are sent.
        case allow

        /// ``refuse(message:)`` with a default message.
        public static let refuse = Policy.refuse(message: "the same request is already running")
    }

    /// The identity of a request. It is compared in full, because different requests may have equal
    /// hashes.
    fileprivate struct Key: Hashable {
        let path: String
        /// The method and the content types of a plain HTTP request; nil for a gRPC call.
        let plain: PlainExchange?
        let authority: String
        let metadata: [Metadata.Element]
        /// Why the metadata is illegal; nil if it is legal.
        let metadataProblem: String?
        /// Identifies the credentials of the call, so that a caller does not get a response for
        /// other credentials. The metadata does not contain them yet. Identifies the call itself if
        /// it must not equal any other call. Otherwise nil if the call has no credentials of its
        /// own.
        let identity: ObjectIdentifier?
        let message: RawMessage
        /// Whether the message is the key of a `RequestIdentity`.
        let isKey: Bool
    }

    /// What happens to a call that equals a running one.
    public let policy: Policy
    private let ignoredHeaders: Set<String>
    fileprivate let running = Mutex(RunningRequests<Key, SharedAnswer>())

    /// - Parameters:
    ///   - policy: What happens to a call that equals a running one.
    ///   - ignoredHeaders: Metadata that is not compared, such as an ID of each request. It must
    ///     not contain headers that identify the caller: a joined caller gets the response of
    ///     another.
    public init(
        _ policy: Policy = .refuse, ignoredHeaders: Set<String> = DuplicateGuard.perRequestHeaders
    ) {
        self.policy = policy
        self.ignoredHeaders = Set(ignoredHeaders.map { $0.lowercased() })
    }

    /// Headers that differ between equal requests: IDs, and trace headers.
    public static let perRequestHeaders: Set<String> = [
        "x-request-id", "x-correlation-id", "traceparent", "tracestate", "baggage",
        "grpc-trace-bin", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid",
        "x-b3-sampled", "x-b3-flags",
    ]

    /// The interceptor for a channel or a call.
    public var interceptor: InterceptorFactory {
        InterceptorFactory("duplicate guard") { call in
            guard self.policy != .allow, !call.shape.hasRequestStream,
                self.policy != .join || !call.shape.hasResponseStream
            else { return nil }
            return GuardingInterceptor(self)
        }
    }

    /// The number of running requests.
    public var runningCount: Int { running.withLock { $0.count } }

    fileprivate func key(
        _ call: InterceptedCall, _ options: CallOptions, _ message: RawMessage
    ) -> Key {
        // Credentials that are not class instances cannot be compared. Such a call is no duplicate
        // of any other call.
        var identity = options.credentials.map { proof in
            type(of: proof) is AnyClass
                ? ObjectIdentifier(proof as AnyObject) : ObjectIdentifier(call)
        }
        // The same is true for interceptors of the call that follow this one and may change the
        // call. The changes of earlier interceptors are in the options and the message.
        if call.precedesCallInterceptors { identity = ObjectIdentifier(call) }
        let plain = call.description.plain
        let ownKey = plain?.identity?.key.map { RawMessage($0) }
        return Key(
            path: options.path ?? call.description.path, plain: plain,
            authority: options.authority ?? call.description.authority,
            metadata: options.metadata.filter { !ignoredHeaders.contains($0.name) },
            metadataProblem: options.metadata.problem,
            identity: identity, message: ownKey ?? message, isKey: ownKey != nil)
    }
}

/// The response to a request, for all callers that wait for it, in order.
private final class SharedAnswer: Sendable {
    struct State {
        var past: [ChainResponse] = []
        var waiters: [ObjectIdentifier: InterceptedCall] = [:]
        /// The call that was sent; nil after its end.
        var first: InterceptedCall?
        var hasEnded = false

        /// Releases the calls, each of which holds a reference to this object.
        mutating func takeCalls() -> [InterceptedCall] {
            defer {
                first = nil
                waiters = [:]
            }
            return Array(waiters.values) + [first].compactMap(\.self)
        }
    }

    let state: Mutex<State>
    /// The request of the call that was sent.
    let identity: RequestIdentity?

    init(_ first: InterceptedCall) {
        identity = first.description.plain?.identity
        state = Mutex(State(waiters: [ObjectIdentifier(first): first], first: first))
    }
}

/// Waits for the request to be complete, and then sends it or joins it to another.
private final class GuardingInterceptor: Interceptor {
    private enum Role {
        /// The request is not complete.
        case gathering
        /// The request was sent; its response is shared.
        case first(DuplicateGuard.Key, SharedAnswer)
        case joined(SharedAnswer)
        case passing
    }

    private let owner: DuplicateGuard
    private var role = Role.gathering
    private var options = CallOptions()
    private var message: RawMessage?
    /// The deadline with which the request was sent.
    private var deadline = Deadline.never
    /// Ends the request at its deadline, if its caller has cancelled and others wait.
    private var limit: Task<Void, Never>?
    private var demand = 0
    /// The number of events of the shared response that this caller has received.
    private var deliveredCount = 0

    init(_ owner: DuplicateGuard) { self.owner = owner }

    func start(_ options: CallOptions, _ call: InterceptedCall) { self.options = options }

    func write(_ message: RawMessage, _ call: InterceptedCall) {
        self.message = message
        // Otherwise a caller that waits for the report before it ends its request would wait
        // forever.
        call.deliverWriteDone()
    }

    func writeDone(_ call: InterceptedCall) {
        // The message was already reported as written when it arrived, so this report is dropped.
        if case .first = role { return }
        call.deliverWriteDone()
    }

    func finish(_ call: InterceptedCall) {
        guard let message else {
            role = .passing
            call.start(options)
            call.finish()
            for _ in 0..<demand { call.receiveNext() }
            return
        }
        let key = owner.key(call, options, message)
        let answer = SharedAnswer(call)
        guard register(answer, key, call) else { return }
        role = .first(key, answer)
        deadline = options.deadline
        call.start(options)
        call.write(message)
        call.finish()
        // The response is read at once, because joined callers read it too.
        let demand = owner.policy == .join ? max(demand, 1) : demand
        for _ in 0..<demand { call.receiveNext() }
    }

    /// Registers the call as the running one of its key. False if the call must not be sent,
    /// because it has joined another or was refused.
    private func register(
        _ answer: SharedAnswer, _ key: DuplicateGuard.Key, _ call: InterceptedCall
    ) -> Bool {
        var abandoned: SharedAnswer?
        while let existing = owner.running.withLock({ [abandoned] running in
            running.register(
                answer, key, replacing: owner.policy == .cancelPrevious ? .any : .one(abandoned))
        }) {
            switch owner.policy {
            case .allow: return true
            case .refuse(let message):
                role = .passing
                call.close(CallEnd(error: RPCError(.cancelled, message)))
                return false
            case .join:
                if join(existing, call) { return false }
                // All callers of the existing request have just cancelled, so it cannot be joined.
                abandoned = existing
            case .cancelPrevious:
                for previous in existing.state.withLock({ $0.takeCalls() }) {
                    previous.close(
                        CallEnd(error: RPCError(.cancelled, "the same request was made again")))
                }
                return true
            }
        }
        return true
    }

    func receiveNext(_ call: InterceptedCall) {
        demand += 1
        switch role {
        case .passing: call.receiveNext()
        case .first: if owner.policy != .join { call.receiveNext() }
        case .gathering, .joined: break
        }
    }

    func receive(initialMetadata: Metadata, _ call: InterceptedCall) {
        share(.initialMetadata(initialMetadata), call)
    }

    func receive(_ message: RawMessage, _ call: InterceptedCall) {
        share(.message(message), call)
        if case .first = role, owner.policy == .join { call.receiveNext() }
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) { share(.close(end), call) }

    /// A caller that cancels no longer waits. The call is cancelled when no caller is left.
    func cancel(_ call: InterceptedCall) {
        switch role {
        case .gathering, .passing: call.cancel()
        case .first(let key, let answer):
            guard stopWaiting(answer, call) == nil else {
                forget(key, answer)
                return call.cancel()
            }
            if call.cancellation.code == .deadlineExceeded {
                end(with: call.cancellation, call)
            } else {
                limitWait(call)
            }
        case .joined(let answer):
            stopWaiting(answer, call)?.perform(as: GuardingInterceptor.self) { interceptor, call in
                if case .first(let key, let answer) = interceptor.role {
                    interceptor.forget(key, answer)
                }
                call.cancel()
            }
        }
    }

    /// The other callers wait at most until the deadline of the first. Its timer has ended with it, and below an
    /// interceptor that holds the call there is no other.
    private func limitWait(_ call: InterceptedCall) {
        guard let instant = deadline.instant else { return }
        limit = Task.detached { [weak call] in
            // Later than the deadline of the rest, whose error says more.
            try? await Task.sleep(until: instant + .milliseconds(100))
            guard !Task.isCancelled else { return }
            call?.perform(as: GuardingInterceptor.self) { interceptor, call in
                let error = RPCError(
                    .deadlineExceeded, "the deadline of the call that was joined has passed")
                interceptor.end(with: error, call)
            }
        }
    }

    /// Ends the request for all callers that wait.
    private func end(with error: RPCError, _ call: InterceptedCall) {
        share(.close(CallEnd(error: error)), call)
        call.cancel()
    }

    private func share(_ response: ChainResponse, _ call: InterceptedCall) {
        guard case .first(let key, let answer) = role else { return response.hand(to: call) }
        var (response, isEnd) = (response, false)
        if case .close(var end) = response {
            // A chain knows this of its own call alone.
            if !call.mayHaveSent { end.error?.mayHaveBeenExecuted = false }
            (response, isEnd) = (.close(end), true)
            forget(key, answer)
        }
        guard owner.policy == .join else {
            let calls = isEnd ? answer.state.withLock { $0.takeCalls() } : []
            response.hand(to: call)
            return withExtendedLifetime(calls) {}
        }
        let waiters = answer.state.withLock { state in
            state.past.append(response)
            let waiters = Array(state.waiters.values)
            if isEnd {
                state.hasEnded = true
                _ = state.takeCalls()
            }
            return waiters
        }
        // The first caller may have cancelled, while others still wait.
        if waiters.contains(where: { $0 === call }) { deliver(answer, call) }
        for other in waiters where other !== call { wake(other) }
    }

    /// False if all callers have cancelled, so that the response will not be complete.
    private func join(_ answer: SharedAnswer, _ call: InterceptedCall) -> Bool {
        let isAlive = answer.state.withLock { state in
            guard state.first != nil || state.hasEnded else { return false }
            if !state.hasEnded { state.waiters[ObjectIdentifier(call)] = call }
            return true
        }
        guard isAlive else { return false }
        if let identity = answer.identity { call.description.plain?.identity?.join(identity) }
        role = .joined(answer)
        call.noteOtherCall()
        deliver(answer, call)
        return true
    }

    private func wake(_ waiter: InterceptedCall) {
        waiter.perform(as: GuardingInterceptor.self) { interceptor, call in
            if case .joined(let answer) = interceptor.role { interceptor.deliver(answer, call) }
            if case .first(_, let answer) = interceptor.role { interceptor.deliver(answer, call) }
        }
    }

    /// Delivers the events that this caller has not received yet. Runs in its serial context, and
    /// therefore in order.
    private func deliver(_ answer: SharedAnswer, _ call: InterceptedCall) {
        while true {
            let next: ChainResponse? = answer.state.withLock { state in
                guard state.waiters[ObjectIdentifier(call)] != nil || state.hasEnded,
                    deliveredCount < state.past.count
                else { return nil }
                defer { deliveredCount += 1 }
                return state.past[deliveredCount]
            }
            guard let next else { return }
            next.hand(to: call)
        }
    }

    /// Returns the call that was sent if no caller is left.
    private func stopWaiting(_ answer: SharedAnswer, _ call: InterceptedCall) -> InterceptedCall? {
        answer.state.withLock { state in
            state.waiters.removeValue(forKey: ObjectIdentifier(call))
            return state.waiters.isEmpty ? state.first.take() : nil
        }
    }

    private func forget(_ key: DuplicateGuard.Key, _ answer: SharedAnswer) {
        limit?.cancel()
        owner.running.withLock { $0.forget(answer, key) }
    }
}

extension ChainResponse {
    /// Delivers the event to a caller. Not inlined, because it is much code in several places.
    @inline(never)
    fileprivate func hand(to call: InterceptedCall) {
        switch self {
        case .initialMetadata(let metadata): call.deliver(initialMetadata: metadata)
        case .message(let message): call.deliver(message)
        case .writeDone: call.deliverWriteDone()
        case .close(let end): call.close(end)
        }
    }
}
