import Synchronization

/// Sees to it that the same request is not under way twice.
///
/// Requests are the same when path, the chosen metadata and every octet of the request are. What
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
    public enum Policy: Hashable, Sendable {
        /// The second fails at once with CANCELLED and this message.
        case refuse(message: String)
        /// The second gets the answer of the first. The call goes on as long as one of those who
        /// wait for it is left.
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
        let metadata: [Metadata.Element]
        let message: RawMessage
    }

    public let policy: Policy
    private let relevantHeaders: Set<String>
    fileprivate let running = Mutex<[Key: SharedAnswer]>([:])

    /// - Parameters:
    ///   - policy: What becomes of a call that is like one that runs.
    ///   - relevantHeaders: Metadata that makes requests different; other metadata, such as an id of
    ///     each request, does not.
    public init(_ policy: Policy = .refuse, relevantHeaders: Set<String> = ["authorization"]) {
        self.policy = policy
        self.relevantHeaders = Set(relevantHeaders.map { $0.lowercased() })
    }

    public var interceptor: InterceptorFactory {
        InterceptorFactory("duplicate guard") { call in
            guard self.policy != .allow, !call.shape.hasRequestStream else { return nil }
            return GuardingInterceptor(self)
        }
    }

    /// How many requests are under way.
    public var runningCount: Int { running.withLock { $0.count } }

    fileprivate func key(
        _ path: String, _ metadata: Metadata, _ message: RawMessage
    ) -> Key {
        Key(
            path: path, metadata: metadata.filter { relevantHeaders.contains($0.name) },
            message: message)
    }
}

/// The answer to a request, for all who wait for it, in the order in which it came.
private final class SharedAnswer: Sendable {
    struct State {
        var past: [ChainResponse] = []
        var waiters: [ObjectIdentifier: InterceptedCall] = [:]
        /// The call that was sent.
        var first: InterceptedCall?
        var hasEnded = false
    }

    let state: Mutex<State>

    init(_ first: InterceptedCall) { state = Mutex(State(first: first)) }
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

    func write(_ message: RawMessage, _ call: InterceptedCall) { self.message = message }

    func finish(_ call: InterceptedCall) {
        guard let message else {
            role = .passing
            call.start(options)
            return call.finish()
        }
        let key = owner.key(call.description.path, options.metadata, message)
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
            role = .joined(existing)
            return join(existing, call)
        case (let existing?, .cancelPrevious):
            let previous = existing.state.withLock { $0.first }
            previous?.close(
                CallEnd(error: RPCError(.cancelled, "the same request was made once more")))
        }
        role = .first(key, answer)
        answer.state.withLock { $0.waiters[ObjectIdentifier(call)] = call }
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
            if leave(answer, call) {
                forget(key, answer)
                call.cancel()
            }
        case .joined(let answer):
            if leave(answer, call) {
                let first = answer.state.withLock { $0.first }
                first?.perform(as: GuardingInterceptor.self) { interceptor, call in
                    interceptor.cancel(call)
                }
            }
        }
    }

    private func share(_ response: ChainResponse, _ call: InterceptedCall) {
        guard case .first(let key, let answer) = role else { return response.hand(to: call) }
        if case .close = response { forget(key, answer) }
        guard owner.policy == .join else { return response.hand(to: call) }
        let others = answer.state.withLock { state in
            state.past.append(response)
            if case .close = response {
                state.hasEnded = true
                state.first = nil
            }
            return state.waiters.values.filter { $0 !== call }
        }
        deliver(answer, call)
        for other in others { wake(other) }
    }

    private func join(_ answer: SharedAnswer, _ call: InterceptedCall) {
        answer.state.withLock { state in
            if !state.hasEnded { state.waiters[ObjectIdentifier(call)] = call }
        }
        deliver(answer, call)
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

    /// Returns whether nobody is left.
    private func leave(_ answer: SharedAnswer, _ call: InterceptedCall) -> Bool {
        answer.state.withLock { state in
            state.waiters.removeValue(forKey: ObjectIdentifier(call))
            return state.waiters.isEmpty && !state.hasEnded
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
