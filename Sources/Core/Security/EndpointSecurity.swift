package import SwiftletTransport

/// How the connections to an endpoint are secured by TLS, in place of the channel's credentials. Two are equal if
/// they are the same object: a balancer keeps the connections of an endpoint as long as it has the same object.
package final class EndpointSecurity: Hashable, Sendable {
    /// Why a server whose verified certificate has these names is refused; nil if it is accepted. Called once for
    /// each connection, on any thread; must not block.
    package typealias NameCheck =
        @Sendable (_ names: [SubjectAlternativeName]) -> String?

    private let provider: any TLSProvider
    private let indication: String?
    let nameCheck: NameCheck

    /// - Parameters:
    ///   - provider: Makes the session of each connection, with the certificates that it has at that time. If it
    ///     has none yet, it throws the reason: the attempt to connect fails with it, and is repeated after the
    ///     backoff. Sessions with ``TLSConfiguration/Verification/chain`` leave the names to `nameCheck`.
    ///   - indication: The name that is sent as SNI; nil, the default, sends none.
    ///   - nameCheck: Accepts all names by default.
    package init(
        _ provider: any TLSProvider, indicating indication: String? = nil,
        checkingNames nameCheck: @escaping NameCheck = { _ in nil }
    ) {
        self.provider = provider
        self.indication = indication
        self.nameCheck = nameCheck
    }

    func makeSession(offering protocols: [String]?) throws(TLSError) -> any TLSSession {
        HeldLocks.assertNone(calling: "endpoint security")
        return try provider.makeSession(host: indication, offering: protocols)
    }

    package static func == (left: EndpointSecurity, right: EndpointSecurity) -> Bool {
        left === right
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

private enum SecurityKey: EndpointAttributeKey {
    typealias Value = EndpointSecurity
}

extension EndpointAttributes {
    /// Used only by a channel with ``ChannelCredentials/decidedByEndpoints(fallback:)``. Nil, the default, means
    /// the fallback.
    package var security: EndpointSecurity? {
        get { self[SecurityKey.self] }
        set { self[SecurityKey.self] = newValue }
    }
}
