import Synchronization

/// Sees to it that the same request is not under way twice.
///
/// Requests are the same when path, metadata and every octet of the request are; metadata that
/// differs from request to request without meaning another one is named in `ignoredHeaders`. What
/// becomes of the second is the policy's to say.
///
/// ```swift
/// let guarding = DuplicateGuard(.join)
/// let channel = try Channel(target, interceptors: [.all(guarding.interceptor)])
/// ```
///
/// A joined answer is kept whole until its end, for those who come late, and is read as fast as it
/// comes: policies other than ``Policy/join`` leave the pace to the caller.
///
/// It looks at calls with one request message; those that stream their requests pass, because what
/// they will say is not known when they begin.
public final class DuplicateGuard: Sendable {
    /// What becomes of a call that is like one that runs.
    public enum Policy: Hashable, Sendable {
        /// The second fails at once with CANCELLED and this message.
        case refuse(message: String)
        /// The second gets the answer of the first. The call goes on as long as one of those who
        /// wait for it is left, and until the deadline of the first at most.
        case join
        /// The first fails with CANCELLED, and the second is sent.
        case cancelPrevious
        /// Both are sent.
        case allow

        /// Refuses, in words of its own.
        public static let refuse = Policy.refuse(message: "the same request is under way")
    }

    /// What makes two requests the same. Compared in full: a hash alone is no proof.
    fileprivate struct Key: Hashable {
        let path: String
        let authority: String
        let metadata: [Metadata.Element]
        /// What keeps the call from being sent, which is for it alone.
        let metadataProblem: String?
        /// Whose proof of identity the call will carry. It is not in the metadata yet, and one
        /// user's answer is nothing for another; nil where it has none of its own.
        let identity: ObjectIdentifier?
        let message: RawMessage
    }

    /// What becomes of a call that is like one that runs.
    public let policy: Policy
    private let ignoredHeaders: Set<String>
    fileprivate let running = Mutex<[Key: SharedAnswer]>([:])

    /// - Parameters:
    ///   - policy: What becomes of a call that is like one that runs.
    ///   - ignoredHeaders: Metadata that does not make requests different, such as an id of each
    ///     of them. Whatever tells who asks must not stand here: who joins gets the other's answer.
    public init(
        _ policy: Policy = .refuse, ignoredHeaders: Set<String> = DuplicateGuard.perRequestHeaders
    ) {
        self.policy = policy
        self.ignoredHeaders = Set(ignoredHeaders.map { $0.lowercased() })
    }

    /// What tells apart requests that ask for the same: ids, and what traces them.
    public static let perRequestHeaders: Set<String> = [
        "x-request-id", "x-correlation-id", "traceparent", "tracestate", "baggage",
        "grpc-trace-bin", "b3", "x-b3-traceid", "x-b3-spanid", "x-b3-parentspanid",
        "x-b3-sampled", "x-b3-flags",
    ]

    /// To be given to a channel or a call.
    public var interceptor: InterceptorFactory {
        InterceptorFactory("duplicate guard") { call in
            guard self.policy != .allow, !call.shape.hasRequestStream else { return nil }
            return GuardingInterceptor(self)
        }
    }

    /// How many requests are under way.
    public var runningCount: Int { running.withLock { $0.count } }

    fileprivate func key(
        _ call: InterceptedCall, _ options: CallOptions, _ message: RawMessage
    ) -> Key {
        // Of proof that is no object it cannot be said whether it is the same: it is no other's.
        var identity = options.credentials.map { proof in
            type(of: proof) is AnyClass
                ? ObjectIdentifier(proof as AnyObject) : ObjectIdentifier(call)
        }
        // Nor what interceptors of its own will add to a call, which stand behind this one.
        if !options.interceptors.isEmpty { identity = ObjectIdentifier(call) }
        return Key(
            path: call.description.path, authority: call.description.authority,
            metadata: options.metadata.filter { !ignoredHeaders.contains($0.name) },
            metadataProblem: options.metadata.problem,
            identity: identity, message: message)
    }
}

/// The answer to a request, for all who wait for it, in the order in which it came.
private final class SharedAnswer: Sendable {
    struct State {
        var past: [ChainResponse] = []
        var waiters: [ObjectIdentifier: InterceptedCall] = [:]
        /// The call that was sent; nil when there is nothing to be had of it any more.
        var first: InterceptedCall?
        var hasEnded = false

        /// Lets go of the calls, each of which holds on to this.
        mutating func takeCalls() -> [InterceptedCall] {
            defer {
                first = nil
                waiters = [:]
            }
            return Array(waiters.values) + [first].compactMap(\.self)
        }
    }

    let state: Mutex<State>

    init(_ first: InterceptedCall) {
        state = Mutex(State(waiters: [ObjectIdentifier(first): first], first: first))
    }
}

/// Waits for its one request to be complete, and then sends it or not.
private final class GuardingInterceptor: Interceptor {
    private enum Role {
        /// The request is not complete.
        case gathering
        /// It was sent; its answer is shared.
        case first(DuplicateGuard.Key, SharedAnswer)
        case joined(SharedAnswer)
        case passing
    }

    private let owner: DuplicateGuard
    private var role = Role.gathering
    private var options = CallOptions()
    private var message: RawMessage?
    private var demand = 0
    /// Of the shared answer, how much this caller has had.
    private var deliveredCount = 0

    init(_ owner: DuplicateGuard) { self.owner = owner }

    func start(_ options: CallOptions, _ call: InterceptedCall) { self.options = options }

    func write(_ message: RawMessage, _ call: InterceptedCall) {
        self.message = message
        // Who waits for it before it ends its request would wait for ever.
        call.deliverWriteDone()
    }

    func writeDone(_ call: InterceptedCall) {
        // Of the message that was reported as written when it came.
        if case .first = role { return }
        call.deliverWriteDone()
    }

    func finish(_ call: InterceptedCall) {
        guard let message else {
            role = .passing
            call.start(options)
            return call.finish()
        }
        let key = owner.key(call, options, message)
        let answer = SharedAnswer(call)
        let existing: SharedAnswer? = owner.running.withLock { running in
            let existing = running[key]
            if existing == nil || owner.policy == .cancelPrevious { running[key] = answer }
            return existing
        }
        switch (existing, owner.policy) {
        case (nil, _), (_, .allow): break
        case (_?, .refuse(let message)):
            role = .passing
            return call.close(CallEnd(error: RPCError(.cancelled, message)))
        case (let existing?, .join):
            if join(existing, call) { return }
            // Everybody has just left it.
            owner.running.withLock { $0[key] = answer }
        case (let existing?, .cancelPrevious):
            for previous in existing.state.withLock({ $0.takeCalls() }) {
                previous.close(
                    CallEnd(error: RPCError(.cancelled, "the same request was made once more")))
            }
        }
        role = .first(key, answer)
        call.start(options)
        call.write(message)
        call.finish()
        // Those who join read too: the answer is asked for as fast as it comes.
        let demand = owner.policy == .join ? max(demand, 1) : demand
        for _ in 0..<demand { call.receiveNext() }
    }

    func receiveNext(_ call: InterceptedCall) {
        demand += 1
        guard case .first = role, owner.policy != .join else { return }
        call.receiveNext()
    }

    func receive(initialMetadata: Metadata, _ call: InterceptedCall) {
        share(.initialMetadata(initialMetadata), call)
    }

    func receive(_ message: RawMessage, _ call: InterceptedCall) {
        share(.message(message), call)
        if case .first = role, owner.policy == .join { call.receiveNext() }
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) { share(.close(end), call) }

    /// Who cancels no longer waits; the call itself ends when nobody does.
    func cancel(_ call: InterceptedCall) {
        switch role {
        case .gathering, .passing: call.cancel()
        case .first(let key, let answer):
            if leave(answer, call) != nil {
                forget(key, answer)
                call.cancel()
            }
        case .joined(let answer):
            leave(answer, call)?.perform(as: GuardingInterceptor.self) { interceptor, call in
                if case .first(let key, let answer) = interceptor.role {
                    interceptor.forget(key, answer)
                }
                call.cancel()
            }
        }
    }

    private func share(_ response: ChainResponse, _ call: InterceptedCall) {
        guard case .first(let key, let answer) = role else { return response.hand(to: call) }
        var isEnd = false
        if case .close = response {
            isEnd = true
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
        // Who is the first may have cancelled for itself, and others have stayed.
        if waiters.contains(where: { $0 === call }) { deliver(answer, call) }
        for other in waiters where other !== call { wake(other) }
    }

    /// False when everybody has left it, so that it will never be complete.
    private func join(_ answer: SharedAnswer, _ call: InterceptedCall) -> Bool {
        let isAlive = answer.state.withLock { state in
            guard state.first != nil || state.hasEnded else { return false }
            if !state.hasEnded { state.waiters[ObjectIdentifier(call)] = call }
            return true
        }
        guard isAlive else { return false }
        role = .joined(answer)
        deliver(answer, call)
        return true
    }

    private func wake(_ waiter: InterceptedCall) {
        waiter.perform(as: GuardingInterceptor.self) { interceptor, call in
            if case .joined(let answer) = interceptor.role { interceptor.deliver(answer, call) }
            if case .first(_, let answer) = interceptor.role { interceptor.deliver(answer, call) }
        }
    }

    /// Hands over what this caller has not had yet: in its own serial context, and so in order.
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

    /// Returns the call that was sent when nobody is left who waits for its answer.
    private func leave(_ answer: SharedAnswer, _ call: InterceptedCall) -> InterceptedCall? {
        answer.state.withLock { state in
            state.waiters.removeValue(forKey: ObjectIdentifier(call))
            return state.waiters.isEmpty ? state.first.take() : nil
        }
    }

    private func forget(_ key: DuplicateGuard.Key, _ answer: SharedAnswer) {
        owner.running.withLock { running in
            if running[key] === answer { running[key] = nil }
        }
    }
}

extension ChainResponse {
    /// Hands it to the caller of a call.
    fileprivate func hand(to call: InterceptedCall) {
        switch self {
        case .initialMetadata(let metadata): call.deliver(initialMetadata: metadata)
        case .message(let message): call.deliver(message)
        case .writeDone: call.deliverWriteDone()
        case .close(let end): call.close(end)
        }
    }
}
