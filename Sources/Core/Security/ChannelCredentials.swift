package import SwiftletTransport

/// How a channel's connections are secured.
///
/// ```swift
/// let channel = try Channel("example.com:443", credentials: .tls())
/// ```
public struct ChannelCredentials: Sendable {
    private let provider: (any TLSProvider)?
    /// The program's check of the server's certificates; nil for none.
    let verification: PeerVerification?
    /// The name that the certificate must be for; nil means the target's name.
    let targetNameOverride: String?
    /// Whether an ``EndpointSecurity`` replaces these credentials.
    private(set) var isDecidedByEndpoints = false

    /// No TLS: sends everything unencrypted.
    public static let insecure = ChannelCredentials(provider: nil, targetNameOverride: nil)

    package init(
        provider: (any TLSProvider)?, targetNameOverride: String?,
        verification: PeerVerification? = nil
    ) {
        self.provider = provider
        self.verification = verification
        self.targetNameOverride = targetNameOverride
    }

    /// TLS by OpenSSL, which is found at run time (see ``TLSLibrary``).
    ///
    /// Throws FAILED_PRECONDITION when there is no OpenSSL, and INVALID_ARGUMENT when a certificate or key
    /// cannot be read.
    ///
    /// - Parameter options: Whom to trust, and the client's identity.
    public static func tls(
        _ options: TLSOptions = TLSOptions()
    ) throws(RPCError) -> ChannelCredentials {
        try tls(options) { options throws(TLSError) in try OpenSSLContext(options.configuration) }
    }

    /// TLS by what `makeContext` makes of the options, and of those of each reload.
    package static func tls(
        _ options: TLSOptions,
        makeContext: @escaping @Sendable (TLSOptions) throws(TLSError) -> any TLSProvider
    ) throws(RPCError) -> ChannelCredentials {
        guard (options.privateKey == nil) == (options.certificateChain == nil) else {
            throw .refused(
                .invalidArgument,
                "TLSOptions has only one of privateKey and certificateChain; set both or neither")
        }
        do throws(TLSError) {
            return ChannelCredentials(
                provider: try ReloadingTLS(options, makeContext),
                targetNameOverride: options.targetNameOverride, verification: options.verification)
        } catch {
            throw RPCError(tls: error)
        }
    }

    /// Reads certificates and keys again. New connections use them, including connections of
    /// existing channels; open connections keep theirs. If this throws, the earlier certificates
    /// stay in use.
    ///
    /// Throws INVALID_ARGUMENT when a certificate or key cannot be read, and FAILED_PRECONDITION for
    /// credentials without TLS.
    ///
    /// - Parameter options: The options whose certificates, keys and pins are used from now on.
    ///   Nil, the default, reads the files of the present options again; all certificates and keys
    ///   must then be in files. The other options stay as they are.
    public func reload(_ options: TLSOptions? = nil) throws(RPCError) {
        guard let tls = provider as? ReloadingTLS else {
            throw .refused(.failedPrecondition, "these credentials have no certificates to reload")
        }
        do throws(TLSError) {
            if let options { try tls.reload(options) } else { try tls.reload() }
        } catch {
            throw RPCError(tls: error)
        }
    }
}

extension ChannelCredentials {
    /// Credentials for endpoints without an ``EndpointSecurity``. The connections of the others are secured as
    /// that object says.
    package static func decidedByEndpoints(fallback: ChannelCredentials) -> ChannelCredentials {
        var credentials = fallback
        credentials.isDecidedByEndpoints = true
        return credentials
    }

    /// Which connections are encrypted.
    package var encryption: Encryption {
        if provider != nil { return .all }
        return isDecidedByEndpoints ? .byEndpoint : .none
    }

    /// Whether all connections are encrypted.
    package var isSecure: Bool { encryption == .all }

    /// A new session with the target's host; nil without TLS.
    ///
    /// - Parameters:
    ///   - override: The name that the channel sets instead of the host.
    ///   - protocols: The application protocols that are offered. Nil offers only HTTP/2, which the
    ///     server must then choose.
    func session(
        for host: String, override: String? = nil, offering protocols: [String]? = nil
    ) throws(TLSError) -> (any TLSSession)? {
        guard let provider else { return nil }
        HeldLocks.assertNone(calling: "channel security")
        return try provider.makeSession(
            host: override ?? targetNameOverride ?? host, offering: protocols)
    }
}

/// Which connections of a channel are encrypted.
package enum Encryption: Equatable, Sendable {
    case none
    /// Those of the endpoints that have an ``EndpointSecurity``.
    case byEndpoint
    case all
}

/// The TLS options of a client. The defaults suit a server on the internet: its certificate must be
/// issued by an authority of the system and be valid for its name.
public struct TLSOptions: Sendable {
    /// PEM, as text or in a file.
    public enum PEM: Hashable, Sendable {
        case text(String)
        case file(String)
    }

    /// The trusted authorities; nil, the default, trusts those of the system.
    public var rootCertificates: PEM?
    /// The client's certificate, followed by the intermediate certificates.
    public var certificateChain: PEM?
    /// The private key of the client's certificate.
    public var privateKey: PEM?
    /// The name that the server's certificate must be for, instead of the target's; also the `:authority` of
    /// requests, unless ``ChannelArguments/defaultAuthority`` is set.
    public var targetNameOverride: String?
    /// Accepts any certificate, and therefore any attacker. For tests.
    public var acceptsAnyCertificate = false
    /// The server's verified chain must have one of these public keys; empty, the default, checks
    /// none. With ``acceptsAnyCertificate``, or a verification that replaces the built-in one, the
    /// server's own certificate must have the key. With pins, TLS sessions are not resumed.
    public var pinnedKeys: Set<PublicKeyPin> = []
    /// A check of the server's certificates by the program; nil, the default, makes none.
    public var verification: PeerVerification?
    /// How often the files are checked for changes and, if they changed, read again; nil, the
    /// default, never checks. Has no effect when a certificate or key is given as text. If a reload
    /// fails, the earlier certificates stay in use and the reload is tried again.
    public var reloadInterval: Duration?
    /// Called after a reload that ``reloadInterval`` caused: with nil when the files are in use, and with the
    /// error when they cannot be used. The same error is reported once.
    public var whenReloaded: (@Sendable (RPCError?) -> Void)?
    /// The file to which the secrets of all connections are appended, so that a protocol analyser can decrypt
    /// them; nil, the default, writes none. A line is as in the variable SSLKEYLOGFILE of other programs. Who
    /// reads the file can read everything.
    public var keyLogFile: String?

    public init() {}
}

extension TLSOptions {
    /// For a `TLSEngine`: whether the server's certificate must be trusted, valid now, and issued for the
    /// server. False if any certificate is accepted, and if ``verification`` replaces the built-in check.
    public var verifiesCertificates: Bool {
        !acceptsAnyCertificate && verification?.order != .insteadOfBuiltIn
    }

    /// For a `TLSEngine`: whether a session may be resumed. False if each handshake needs the certificates,
    /// for ``pinnedKeys`` or ``verification``.
    public var allowsResumption: Bool { pinnedKeys.isEmpty && verification == nil }

    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration(role: .client)
        if let rootCertificates { configuration.trust = .authorities(rootCertificates.source) }
        if let certificateChain, let privateKey {
            configuration.identity = TLSConfiguration.Identity(
                certificates: certificateChain.source, privateKey: privateKey.source)
        }
        if !verifiesCertificates { configuration.verification = .none }
        configuration.pinnedKeyDigests = Set(pinnedKeys.map(\.digest))
        configuration.resumesSessions = allowsResumption
        configuration.keyLogFile = keyLogFile
        return configuration
    }
}

extension TLSOptions.PEM {
    fileprivate var source: TLSConfiguration.PEM {
        switch self {
        case .text(let text): .text(text)
        case .file(let path): .file(path)
        }
    }
}
