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
        guard description.encryption != .none || credentials.allowsInsecureConnections else {
            return call.close(CallEnd(error: .insecureConnection))
        }
        if let metadata = credentials.cachedMetadata(for: description) {
            return call.start(options.adding(metadata, of: credentials, to: description))
        }
        call.holdRequests()
        task = Task { [credentials] in
            do throws(RPCError) {
                let metadata = try await credentials.metadata(for: description)
                call.start(options.adding(metadata, of: credentials, to: description))
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
    /// These options with the metadata that `credentials` have given to the call.
    package func adding(
        _ metadata: Metadata, of credentials: any CallCredentials, to call: CallDescription
    ) -> CallOptions {
        var options = self
        options.metadata.append(contentsOf: metadata)
        if call.encryption == .byEndpoint, !credentials.allowsInsecureConnections {
            options.needsEncryption = true
        }
        return options
    }
}
