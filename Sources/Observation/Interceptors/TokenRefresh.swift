public import SwiftletCore
import SwiftletInterceptors

extension InterceptorFactory {
    /// Sends a bearer token with each call. If the server rejects it with UNAUTHENTICATED, gets a
    /// new one and sends the call once more.
    ///
    /// ```swift
    /// let token = BearerToken {
    ///     let grant = try await accounts.signIn()
    ///     return .init(grant.accessToken, validFor: .seconds(3_600))
    /// }
    /// let channel = try Channel(
    ///     "example.com:443", credentials: .tls(), interceptors: [.all(.refreshing(token))])
    /// ```
    ///
    /// A call is sent again only if no part of the response was delivered and its request is at
    /// most 256 KiB. If it cannot be sent again, the next call gets a new token. Calls whose token
    /// was rejected share one fetch.
    public static func refreshing(_ token: BearerToken) -> InterceptorFactory {
        var factory = InterceptorFactory("token refresh") { _ in TokenRefreshInterceptor(token) }
        factory.sendsCredentials = true
        return factory
    }
}

private final class TokenRefreshInterceptor: Interceptor {
    private let token: BearerToken
    private var request = RecordedRequest()
    private var sent: Metadata?
    private var hasRetried = false
    /// The messages that were reported to the caller as written.
    private var takenCount = 0
    /// The number of those messages that are sent again and must not be reported again.
    private var retakenCount = 0
    private var task: Task<Void, Never>?

    init(_ token: BearerToken) { self.token = token }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        guard call.description.encryption != .none || token.allowsInsecureConnections else {
            return call.close(
                CallEnd(
                    error: RPCError(
                        .unauthenticated,
                        "a bearer token is not sent on an unencrypted connection; use TLS credentials for the channel"
                    )))
        }
        request.start(options)
        send(call) { options, call in call.start(options) }
    }

    func write(_ message: RawMessage, _ call: InterceptedCall) {
        if !hasRetried { request.write(message) }
        call.write(message)
    }

    func writeDone(_ call: InterceptedCall) {
        guard retakenCount == 0 else {
            retakenCount -= 1
            return
        }
        takenCount += 1
        call.deliverWriteDone()
    }

    func finish(_ call: InterceptedCall) {
        request.finish()
        call.finish()
    }

    func receiveNext(_ call: InterceptedCall) {
        request.receiveNext()
        call.receiveNext()
    }

    func receive(initialMetadata: Metadata, _ call: InterceptedCall) {
        request.answered()
        call.deliver(initialMetadata: initialMetadata)
    }

    func cancel(_ call: InterceptedCall) {
        task?.cancel()
        call.cancel()
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        // A refusal of this side, for example on a connection without TLS, says nothing about the token.
        guard let error = end.error, error.code == .unauthenticated, error.origin == .server,
            !hasRetried
        else { return call.close(end) }
        if let sent { token.invalidate(rejected: sent) }
        guard request.mayReplay else { return call.close(end) }
        hasRetried = true
        retakenCount = takenCount
        call.restart()
        send(call) { [request] options, call in request.replay(to: call, options) }
    }

    /// Continues with the token, at once or when it was fetched.
    private func send(
        _ call: InterceptedCall,
        _ proceed: @escaping @Sendable (CallOptions, InterceptedCall) -> Void
    ) {
        if let metadata = token.cachedMetadata(for: call.description) {
            return go(on: metadata, call, proceed)
        }
        call.holdRequests()
        task = Task { [token] in
            do throws(RPCError) {
                let metadata = try await token.metadata(for: call.description)
                call.perform(as: TokenRefreshInterceptor.self) { interceptor, call in
                    interceptor.go(on: metadata, call, proceed)
                    call.releaseRequests()
                }
            } catch {
                call.close(CallEnd(error: error.ofControlPlane("the call credentials")))
            }
        }
    }

    private func go(
        on metadata: Metadata, _ call: InterceptedCall,
        _ proceed: (CallOptions, InterceptedCall) -> Void
    ) {
        sent = metadata
        var options = request.options
        options.add(metadata, of: token, for: call.description)
        proceed(options, call)
    }
}
