import SwiftletTransport
import Synchronization

/// Makes the TLS sessions of a cluster, each with the certificates that its providers have at that time.
final class UpstreamSessions: TLSProvider {
    /// The texts that a context was made of.
    fileprivate struct Source: Hashable {
        var authorities: String?
        var identity: TLSConfiguration.Identity?
    }

    private struct Current {
        let source: Source
        let context: OpenSSLContext
    }

    private let roots: (name: ByteText, files: CertificateFiles?)?
    private let identity: (name: ByteText, files: CertificateFiles?)?
    private let current = Mutex<Current?>(nil)

    /// - Parameter providers: The certificate providers of the bootstrap.
    init(_ tls: UpstreamTLS, _ providers: [ByteText: XDS.Bootstrap.FileWatcher]) {
        func files(_ name: ByteText) -> (ByteText, CertificateFiles?) {
            (name, (providers[name]?.files).map { CertificateFiles.shared($0) })
        }
        switch tls.roots {
        case .system: roots = nil
        case .provider(let name): roots = files(name)
        }
        identity = tls.identity.map(files)
    }

    func makeSession(
        host: String?, offering protocols: [String]?
    ) throws(TLSError) -> any TLSSession {
        try context(at: .now).makeSession(host: host, offering: protocols)
    }

    private func context(at now: MonotonicInstant) throws(TLSError) -> OpenSSLContext {
        let last = current.withLock { $0 }
        let source = try source(at: now)
        if let last, last.source == source { return last.context }
        do throws(TLSError) {
            let context = try OpenSSLContext(source.configuration)
            current.withLock { $0 = Current(source: source, context: context) }
            return context
        } catch {
            // A key may have been replaced before its certificate. The next connection tries again.
            for files in [roots?.files, identity?.files] { files?.contentsWereRefused() }
            guard let last else { throw error }
            return last.context
        }
    }

    private func source(at now: MonotonicInstant) throws(TLSError) -> Source {
        var source = Source()
        if let (name, files) = roots {
            source.authorities = try Self.required(
                try files?.contents(at: now).authorities, "ca_certificate_file", of: name)
        }
        if let (name, files) = identity {
            let contents = try files?.contents(at: now)
            source.identity = TLSConfiguration.Identity(
                certificates: .text(
                    try Self.required(contents?.certificates, "certificate_file", of: name)),
                privateKey: .text(
                    try Self.required(contents?.privateKey, "private_key_file", of: name)))
        }
        return source
    }

    private static func required(
        _ text: String?, _ key: String, of provider: ByteText
    ) throws(TLSError) -> String {
        guard let text else {
            throw TLSError(
                .configuration,
                "the certificate provider '\(provider)' of the xDS bootstrap has no \(key)")
        }
        return text
    }
}

extension UpstreamSessions.Source {
    fileprivate var configuration: TLSConfiguration {
        var configuration = TLSConfiguration(role: .client)
        if let authorities { configuration.trust = .authorities(.text(authorities)) }
        configuration.identity = identity
        // The names are checked by the matchers of the control plane (A29).
        configuration.verification = .chain
        return configuration
    }
}
