import Synchronization

/// Call credentials that send a token as `authorization: Bearer …`. The token is fetched when it is first
/// needed. It is kept until shortly before it expires.
///
/// ```swift
/// let token = BearerToken {
///     let grant = try await accounts.signIn()
///     return .init(grant.accessToken, validFor: .seconds(3_600))
/// }
/// let channel = try Channel(
///     "example.com:443", credentials: .tls(), defaultOptions: .with { $0.credentials = token })
/// ```
///
/// Calls that start during a fetch wait for it. If the fetch fails, those calls fail, and the next
/// call fetches again.
public final class BearerToken: CallCredentials {
    /// A token and its expiry.
    public struct Token: Hashable, Sendable {
        public var value: String
        /// When the token expires; nil means never.
        public var expiry: ContinuousClock.Instant?

        public init(_ value: String, expiry: ContinuousClock.Instant? = nil) {
            self.value = value
            self.expiry = expiry
        }

        /// A token that expires after `duration`, counted from now.
        public init(_ value: String, validFor duration: Duration) {
            self.init(value, expiry: .now + duration)
        }
    }

    private struct State: ~Copyable {
        var token: Token?
        var fetch: Task<Result<Token, RPCError>, Never>?
        /// The number of invalidations. If it changes during a fetch, the new token is not kept.
        var generation = 0

        /// The kept token, unless it expires within `leeway`.
        func token(renewingBefore leeway: Duration) -> Token? {
            if let expiry = token?.expiry, ContinuousClock.now + leeway >= expiry { return nil }
            return token
        }

        mutating func invalidate() {
            token = nil
            fetch = nil
            generation += 1
        }
    }

    /// The source of a call's token.
    private enum Source {
        case kept(Token)
        case fetch(Task<Result<Token, RPCError>, Never>)
    }

    private let fetchToken: @Sendable () async throws -> Token
    private let leeway: Duration
    private let state = Mutex(State())
    public let allowsInsecureConnections: Bool

    /// - Parameters:
    ///   - leeway: How long before its expiry a token is renewed. The default is 60 seconds.
    ///   - allowsInsecureConnections: Whether the token may be sent on a connection that is not
    ///     encrypted. The default is false.
    ///   - fetch: Gets a new token. Only one call at a time calls it; other calls wait for the
    ///     result. If it throws, the calls fail with UNAUTHENTICATED, or with the error if that is
    ///     an ``RPCError``. A code that only a server's application may use, such as NOT_FOUND, becomes INTERNAL
    ///     (proposal A54).
    public init(
        renewingBefore leeway: Duration = .seconds(60), allowsInsecureConnections: Bool = false,
        _ fetch: @escaping @Sendable () async throws -> Token
    ) {
        fetchToken = fetch
        self.leeway = leeway
        self.allowsInsecureConnections = allowsInsecureConnections
    }

    /// A token that does not expire.
    public convenience init(_ value: String, allowsInsecureConnections: Bool = false) {
        self.init(allowsInsecureConnections: allowsInsecureConnections) { Token(value) }
    }
}

extension BearerToken {
    /// Makes the next call fetch a new token, because this one was rejected.
    public func invalidate() {
        state.withLock { $0.invalidate() }
    }

    /// Does the same as ``invalidate()`` if the kept token is the one in `rejected`. In the meantime, another
    /// call may have renewed the token.
    package func invalidate(rejected: Metadata) {
        state.withLock { state in
            let kept = try? state.token(renewingBefore: leeway)?.metadata
            if kept == rejected { state.invalidate() }
        }
    }

    public func cachedMetadata(for call: CallDescription) -> Metadata? {
        let token = state.withLock { $0.token(renewingBefore: leeway) }
        // If the token is not a legal header value, ``metadata(for:)`` reports it, because that function can
        // throw.
        return try? token?.metadata
    }

    public func metadata(for call: CallDescription) async throws(RPCError) -> Metadata {
        // Both look-ups need one lock: between two locks, the fetch of another call could end, and this call
        // would start a second one.
        let source: Source = state.withLock { state in
            if let token = state.token(renewingBefore: leeway) { return .kept(token) }
            if let fetch = state.fetch { return .fetch(fetch) }
            let generation = state.generation
            // Several calls wait for it, so it has neither the deadline nor the values of this call's task.
            let fetch = Task.detached { await self.fetch(generation) }
            state.fetch = fetch
            return .fetch(fetch)
        }
        switch source {
        case .kept(let token): return try token.metadata
        case .fetch(let fetch): return try await fetch.value.get().metadata
        }
    }

    private func fetch(_ generation: Int) async -> Result<Token, RPCError> {
        let result: Result<Token, RPCError>
        do {
            result = .success(try await fetchToken())
        } catch let error as RPCError {
            result = .failure(error)
        } catch {
            result = .failure(
                .refused(.unauthenticated, "the bearer token could not be fetched: \(error)"))
        }
        state.withLock { state in
            guard state.generation == generation else { return }
            state.fetch = nil
            state.token = try? result.get()
        }
        return result
    }
}

extension BearerToken.Token {
    fileprivate var metadata: Metadata {
        get throws(RPCError) {
            var metadata = Metadata()
            try metadata.add("Bearer \(value)", for: "authorization")
            return metadata
        }
    }
}
