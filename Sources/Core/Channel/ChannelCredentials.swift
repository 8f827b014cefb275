import SwiftletTransport

/// How a channel's connections are secured.
///
/// ```swift
/// let channel = try Channel("example.com:443", credentials: .tls())
/// ```
public struct ChannelCredentials: Sendable {
    private let provider: (any TLSProvider)?
    /// The name that the certificate must be for, where it is not the target's.
    let targetNameOverride: String?

    /// Everything in the clear.
    public static let insecure = ChannelCredentials(provider: nil, targetNameOverride: nil)

    init(provider: (any TLSProvider)?, targetNameOverride: String?) {
        self.provider = provider
        self.targetNameOverride = targetNameOverride
    }

    /// TLS by the system's OpenSSL, which is loaded at run time. Throws FAILED_PRECONDITION when the
    /// machine has none, and INVALID_ARGUMENT when a certificate or key cannot be read.
    public static func tls(_ options: TLSOptions = TLSOptions()) throws(RPCError)
        -> ChannelCredentials
    {
        guard (options.privateKey == nil) == (options.certificateChain == nil) else {
            throw .refused(
                .invalidArgument, "a private key and a certificate chain go together, or neither")
        }
        do throws(TLSError) {
            return ChannelCredentials(
                provider: try OpenSSLContext(options.configuration),
                targetNameOverride: options.targetNameOverride)
        } catch {
            let isOurs = error.kind != .libraryMissing
            var failure = RPCError(isOurs ? .invalidArgument : .failedPrecondition, "\(error)")
            failure.phase = .tls
            failure.mayHaveBeenExecuted = false
            throw failure
        }
    }
}

extension ChannelCredentials {
    var isSecure: Bool { provider != nil }

    /// What `:scheme` says.
    var scheme: String { isSecure ? "https" : "http" }

    /// A new session with the target's host; nil where there is no TLS.
    ///
    /// - Parameters:
    ///   - override: The name that the channel asks for in place of it.
    ///   - protocols: The application protocols that are offered; nil is HTTP/2, which the server
    ///     must choose then.
    func session(
        for host: String, override: String? = nil, offering protocols: [String]? = nil
    ) throws(TLSError) -> (any TLSSession)? {
        guard let provider else { return nil }
        return try provider.makeSession(
            host: override ?? targetNameOverride ?? host, offering: protocols)
    }
}

/// What a client wants of TLS. The defaults are right for a server on the internet: its
/// certificate is checked against the system's authorities and for its name.
public struct TLSOptions: Sendable {
    /// PEM, as text or in a file.
    public enum PEM: Hashable, Sendable {
        case text(String)
        case file(String)
    }

    /// The authorities that may vouch for the server; nil is those of the system.
    public var rootCertificates: PEM?
    /// Who we are: our certificate and those between it and an authority's.
    public var certificateChain: PEM?
    /// The key of that certificate.
    public var privateKey: PEM?
    /// The name that the server's certificate must be for, in place of the target's; also what
    /// requests are addressed to.
    public var targetNameOverride: String?
    /// Accepts any certificate, and so any attacker. For tests.
    public var acceptsAnyCertificate = false

    public init() {}
}

extension TLSOptions {
    var configuration: TLSConfiguration {
        var configuration = TLSConfiguration(role: .client)
        if let rootCertificates { configuration.trust = .authorities(rootCertificates.source) }
        if let certificateChain, let privateKey {
            configuration.identity = TLSConfiguration.Identity(
                certificates: certificateChain.source, privateKey: privateKey.source)
        }
        if acceptsAnyCertificate { configuration.verification = .none }
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
