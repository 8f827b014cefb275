import SwiftletTransport

extension InterceptorFactory {
    /// Adds the metadata of a call's credentials to its headers.
    static func credentials(_ credentials: any CallCredentials) -> InterceptorFactory {
        InterceptorFactory("credentials") { _ in CredentialsInterceptor(credentials) }
    }
}

/// Gets the metadata of a call's credentials before the call starts.
private final class CredentialsInterceptor: Interceptor {
    private let credentials: any CallCredentials
    private var task: Task<Void, Never>?

    init(_ credentials: any CallCredentials) { self.credentials = credentials }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        let description = call.description
        HeldLocks.assertNone(calling: "call credentials")
        guard description.isSecure || credentials.allowsInsecureConnections else {
            return call.close(CallEnd(error: .insecureConnection))
        }
        if let metadata = credentials.cachedMetadata(for: description) {
            return call.start(options.adding(metadata))
        }
        call.holdRequests()
        task = Task { [credentials] in
            do throws(RPCError) {
                let metadata = try await credentials.metadata(for: description)
                call.start(options.adding(metadata))
                call.releaseRequests()
            } catch {
                call.close(CallEnd(error: error.ofControlPlane("the call credentials")))
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
    fileprivate static var insecureConnection: RPCError {
        .refused(
            .unauthenticated,
            "call credentials are not sent on an unencrypted connection; use TLS credentials for the channel"
        )
    }
}
