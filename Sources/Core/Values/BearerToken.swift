import Synchronization

/// Call credentials that send a token as `authorization: Bearer …`, get it when it is first needed,
/// and keep it until shortly before it expires.
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
/// Calls that come while the token is being fetched wait for that one fetch. A fetch that fails
/// fails the calls that waited for it, and the next call tries again.
public final class BearerToken: CallCredentials {
    /// A token, and until when it is good.
    public struct Token: Hashable, Sendable {
        public var value: String
        /// Nil is for ever.
        public var expiry: ContinuousClock.Instant?

        public init(_ value: String, expiry: ContinuousClock.Instant? = nil) {
            self.value = value
            self.expiry = expiry
        }

        /// A token that is good for so long, from now.
        public init(_ value: String, validFor duration: Duration) {
            self.init(value, expiry: .now + duration)
        }
    }

    private struct State {
        var token: Token?
        var fetch: Task<Result<Token, RPCError>, Never>?
        /// Fetches are told apart by it: a token that was invalidated while it was on its way is
        /// not kept.
        var generation = 0
    }

    private let fetchToken: @Sendable () async throws -> Token
    private let leeway: Duration
    private let state = Mutex(State())
    public let isAllowedInTheClear: Bool

    /// - Parameters:
    ///   - leeway: How long before its expiry a token is renewed.
    ///   - isAllowedInTheClear: Sends the token where everybody on the way can read it.
    ///   - fetch: Gets a fresh token; asked by one call at a time, and the others wait for it.
    public init(
        renewingBefore leeway: Duration = .seconds(60), isAllowedInTheClear: Bool = false,
        _ fetch: @escaping @Sendable () async throws -> Token
    ) {
        fetchToken = fetch
        self.leeway = leeway
        self.isAllowedInTheClear = isAllowedInTheClear
    }

    /// A token that never changes.
    public convenience init(_ value: String, isAllowedInTheClear: Bool = false) {
        self.init(isAllowedInTheClear: isAllowedInTheClear) { Token(value) }
    }
}

extension BearerToken {
    /// Has the token fetched anew for the next call: it was refused.
    public func invalidate() {
        state.withLock { state in
            state.token = nil
            state.fetch = nil
            state.generation += 1
        }
    }

    public func metadataAtHand(path: String, authority: String) -> Metadata? {
        let token: Token? = state.withLock { state in
            guard let token = state.token else { return nil }
            if let expiry = token.expiry, ContinuousClock.now + leeway >= expiry { return nil }
            return token
        }
        // A token that is no legal header is told of where errors can be told.
        return try? token?.metadata
    }

    public func metadata(path: String, authority: String) async throws(RPCError) -> Metadata {
        if let metadata = metadataAtHand(path: path, authority: authority) { return metadata }
        let fetch = state.withLock { state in
            if let fetch = state.fetch { return fetch }
            let generation = state.generation
            let fetch = Task { await self.fetch(generation) }
            state.fetch = fetch
            return fetch
        }
        return try await fetch.value.get().metadata
    }

    private func fetch(_ generation: Int) async -> Result<Token, RPCError> {
        let result: Result<Token, RPCError>
        do {
            result = .success(try await fetchToken())
        } catch let error as RPCError {
            result = .failure(error)
        } catch {
            result = .failure(.refused(.unauthenticated, "there is no bearer token: \(error)"))
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
