extension InterceptorFactory {
    /// Adds what a call's credentials give to its headers.
    static func credentials(_ credentials: any CallCredentials) -> InterceptorFactory {
        InterceptorFactory("credentials") { _ in CredentialsInterceptor(credentials) }
    }
}

/// Asks a call's credentials for their metadata before the call goes on.
private final class CredentialsInterceptor: Interceptor {
    private let credentials: any CallCredentials
    private var task: Task<Void, Never>?

    init(_ credentials: any CallCredentials) { self.credentials = credentials }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        let description = call.description
        guard description.isSecure || credentials.isAllowedInTheClear else {
            return call.close(CallEnd(error: .notInTheClear))
        }
        let (path, authority) = (description.path, description.authority)
        if let metadata = credentials.metadataAtHand(path: path, authority: authority) {
            return call.start(options.adding(metadata))
        }
        call.holdRequests()
        task = Task { [credentials] in
            do throws(RPCError) {
                let metadata = try await credentials.metadata(path: path, authority: authority)
                call.start(options.adding(metadata))
                call.releaseRequests()
            } catch {
                call.close(CallEnd(error: error))
            }
        }
    }

    func cancel(_ call: InterceptedCall) {
        task?.cancel()
        call.cancel()
    }
}

extension CallOptions {
    fileprivate func adding(_ metadata: Metadata) -> CallOptions {
        var options = self
        options.metadata.append(contentsOf: metadata)
        return options
    }
}

extension RPCError {
    fileprivate static var notInTheClear: RPCError {
        .refused(
            .unauthenticated, "call credentials are not sent over a channel that is not secure")
    }
}
