/// What all connections of a channel (or of a server) have in common: trust, identity, protocols
/// and the tickets of earlier sessions. Making one reads files; sessions made from it do not.
///
/// Safe to share: after `init` the SSL_CTX is changed no more, and OpenSSL counts its references
/// atomically.
@safe
package final class OpenSSLContext: TLSProvider, @unchecked Sendable {
    let library: OpenSSLLibrary
    let configuration: TLSConfiguration
    let tickets = TLSSessionCache<OpenSSLTicket>()
    let keyLog: TLSKeyLog?
    private let context: OpaquePointer

    package init(_ configuration: TLSConfiguration) throws(TLSError) {
        let library = try OpenSSLLibrary.loaded.get()
        self.library = library
        self.configuration = configuration
        keyLog = if let path = configuration.keyLogFile { try TLSKeyLog(path: path) } else { nil }
        let method =
            unsafe configuration.role == .client
            ? library.tlsClientMethod() : library.tlsServerMethod()
        guard let context = unsafe library.sslCtxNew(method) else {
            throw TLSError(.configuration, "no context: \(library.reason())")
        }
        unsafe self.context = unsafe context
        // From here on `deinit` frees the context when something throws.
        setProtocols()
        try setTrust()
        try setIdentity()
        setCallbacks()
    }

    deinit {
        unsafe library.sslCtxFree(context)
    }

    package func makeSession(host: String?) throws(TLSError) -> any TLSSession {
        try OpenSSLSession(self, host: configuration.serverNameOverride ?? host)
    }

    /// A new SSL object, which keeps the context alive on its own account.
    func makeSSL() -> OpaquePointer? { unsafe library.sslNew(context) }
}

// MARK: - Setting up

extension OpenSSLContext {
    private enum Control {
        static let mode: CInt = 33
        static let sessionCacheMode: CInt = 44
        static let minimumVersion: CInt = 123
        static let maximumVersion: CInt = 124
    }

    private func setProtocols() {
        control(Control.minimumVersion, configuration.minimumVersion.number)
        control(Control.maximumVersion, configuration.maximumVersion.number)
        // SSL_MODE_NO_AUTO_CHAIN: what is sent is the identity as given, not what the trust store
        // would add to it.
        control(Control.mode, 0x8)
        // RFC 9113 §9.2.1: no renegotiation, no compression.
        let noRenegotiation: CUnsignedLong = 1 << 30
        let noCompression: CUnsignedLong = 1 << 17
        _ = unsafe library.sslCtxSetOptions(context, noRenegotiation | noCompression)
        // §9.2.2: of TLS 1.2 only suites with ephemeral keys and authenticated encryption. Those
        // of TLS 1.3 are all of that kind, and not in this list.
        _ = unsafe library.sslCtxSetCipherList(context, "ECDHE+AESGCM:ECDHE+CHACHA20")
        guard configuration.role == .client, !configuration.applicationProtocols.isEmpty else {
            return
        }
        let list = configuration.encodedApplicationProtocols
        // The list is copied.
        _ = unsafe list.withUnsafeBufferPointer { buffer in
            unsafe library.sslCtxSetAlpnProtos(
                context, buffer.baseAddress, CUnsignedInt(buffer.count))
        }
    }

    private func setTrust() throws(TLSError) {
        let demandsPeer =
            configuration.role == .client
            ? configuration.verification == .full : configuration.demandsClientCertificate
        guard demandsPeer else { return }
        switch configuration.trust {
        case .system:
            guard unsafe library.sslCtxSetDefaultVerifyPaths(context) == 1 else {
                throw TLSError(.configuration, "the system's authorities: \(library.reason())")
            }
        case .authorities(let pem):
            let store = unsafe library.sslCtxGetCertStore(context)
            try unsafe OpenSSLPEM(library: library).forEachCertificate(
                in: pem, "the list of authorities"
            ) { _, certificate in
                unsafe library.x509StoreAddCert(store, certificate) == 1
            }
        }
        // SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT; the second is for servers.
        unsafe library.sslCtxSetVerify(context, 0x1 | 0x2, OpenSSLCallbacks.verify)
    }

    private func setIdentity() throws(TLSError) {
        guard let identity = configuration.identity else {
            guard configuration.role == .client else {
                throw TLSError(.configuration, "a server needs a certificate")
            }
            return
        }
        let pem = OpenSSLPEM(library: library)
        try unsafe pem.forEachCertificate(
            in: identity.certificates, "the certificate"
        ) { index, certificate in
            if index == 0 { return unsafe library.sslCtxUseCertificate(context, certificate) == 1 }
            return unsafe addToChain(certificate)
        }
        try unsafe pem.withPrivateKey(in: identity.privateKey) { key in
            unsafe library.sslCtxUsePrivateKey(context, key) == 1
        }
        guard unsafe library.sslCtxCheckPrivateKey(context) == 1 else {
            throw TLSError(
                .configuration, "the private key is not the certificate's: \(library.reason())")
        }
    }

    /// SSL_CTRL_CHAIN_CERT with 1 takes a reference of its own.
    private func addToChain(_ certificate: OpaquePointer) -> Bool {
        let chainCertificate: CInt = 89
        let pointer = unsafe UnsafeMutableRawPointer(certificate)
        return unsafe library.sslCtxCtrl(context, chainCertificate, 1, pointer) == 1
    }

    private func setCallbacks() {
        if configuration.role == .client {
            guard configuration.resumesSessions else {
                control(Control.sessionCacheMode, 0)
                return setKeyLog()
            }
            // SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL: the tickets are kept here.
            control(Control.sessionCacheMode, 0x001 | 0x300)
            unsafe library.sslCtxSessSetNewCb(context, OpenSSLCallbacks.newTicket)
        } else {
            // Servers resume by tickets that they encrypted, and keep nothing.
            control(Control.sessionCacheMode, 0)
            let name = Array("swiftlet".utf8)
            _ = unsafe name.withUnsafeBufferPointer {
                unsafe library.sslCtxSetSessionIdContext(
                    context, $0.baseAddress, CUnsignedInt($0.count))
            }
            unsafe library.sslCtxSetAlpnSelectCb(context, OpenSSLCallbacks.selectProtocol, nil)
        }
        setKeyLog()
    }

    private func setKeyLog() {
        guard keyLog != nil else { return }
        unsafe library.sslCtxSetKeylogCallback(context, OpenSSLCallbacks.keyLog)
    }

    private func control(_ command: CInt, _ value: CLong) {
        _ = unsafe library.sslCtxCtrl(context, command, value, nil)
    }
}

extension TLSConfiguration.Version {
    fileprivate var number: CLong { self == .tls12 ? 0x0303 : 0x0304 }
}

extension TLSConfiguration {
    /// Each name behind its length (RFC 7301 §3.1); names that cannot exist are left out.
    var encodedApplicationProtocols: [UInt8] {
        applicationProtocols.filter { (1...255).contains($0.utf8.count) }
            .flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    }
}
