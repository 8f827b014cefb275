/// The parts that all TLS connections of a client or of a server share: trust, identity, protocols and the
/// tickets of earlier sessions. `init` reads files. Making sessions reads none.
///
/// It is safe to share: the SSL_CTX does not change after `init`, and OpenSSL counts its references
/// atomically.
@safe
package final class OpenSSLContext: TLSProvider, @unchecked Sendable {
    let library: OpenSSLLibrary
    let configuration: TLSConfiguration
    let tickets = TLSSessionCache()
    let keyLog: TLSKeyLog?
    private let context: OpaquePointer

    package init(_ configuration: TLSConfiguration) throws(TLSError) {
        let library = try OpenSSLLibrary.shared()
        self.library = library
        // The text of the key is not kept.
        var kept = configuration
        kept.identity = nil
        self.configuration = kept
        keyLog = if let path = configuration.keyLogFile { try TLSKeyLog(path: path) } else { nil }
        let method =
            unsafe configuration.role == .client
            ? library.tlsClientMethod() : library.tlsServerMethod()
        guard let context = unsafe library.sslCtxNew(method) else {
            throw TLSError(.configuration, "OpenSSL made no context: \(library.reason())")
        }
        unsafe self.context = unsafe context
        // From here on, `deinit` frees the context if something throws.
        try setVersions()
        try setModes()
        try setCipherList(Self.cipherList)
        try setApplicationProtocols()
        try setTrust()
        try setIdentity(configuration.identity)
        try setCallbacks()
    }

    deinit {
        unsafe library.sslCtxFree(context)
    }

    package func makeSession(
        host: String?, offering protocols: [String]?
    ) throws(TLSError) -> any TLSSession {
        let session = try makeSession(host: host)
        if let protocols { try session.offer(protocols) }
        return session
    }

    private func makeSession(host: String?) throws(TLSError) -> OpenSSLSession {
        let host = host ?? ""
        guard let identity = ServerIdentity(host: host) else {
            guard host.isEmpty else {
                throw TLSError(
                    .configuration, "not a host name or address: '\(host)'")
            }
            return try OpenSSLSession(self, nil)
        }
        return try OpenSSLSession(self, identity)
    }

    /// Makes a server's session, for a caller that needs more than ``TLSSession``.
    package func makeServerSession() throws(TLSError) -> OpenSSLSession {
        try OpenSSLSession(self, nil)
    }

    /// Makes an SSL object, which retains the context. Nil if OpenSSL fails.
    func makeSSL() -> OpaquePointer? { unsafe library.sslNew(context) }
}

// MARK: - Setting up

extension OpenSSLContext {
    private func setVersions() throws(TLSError) {
        let (minimum, maximum) = (configuration.minimumVersion, configuration.maximumVersion)
        guard minimum.number <= maximum.number else {
            throw TLSError(.configuration, "the minimum version of TLS is above the maximum")
        }
        try demand(
            control(OpenSSL.SSL_CTRL_SET_MIN_PROTO_VERSION, minimum.number) == 1,
            "the minimum version of TLS")
        try demand(
            control(OpenSSL.SSL_CTRL_SET_MAX_PROTO_VERSION, maximum.number) == 1,
            "the maximum version of TLS")
    }

    private func setModes() throws(TLSError) {
        // The identity is sent as given, without certificates of the trust store. An idle session keeps no
        // buffers.
        let modes = OpenSSL.SSL_MODE_NO_AUTO_CHAIN | OpenSSL.SSL_MODE_RELEASE_BUFFERS
        try demand(
            control(OpenSSL.SSL_CTRL_MODE, modes) & modes == modes, "the mode of sessions")
        // SSL_MODE_AUTO_RETRY is cleared: SSL_read returns after a record without application data.
        let autoRetry = OpenSSL.SSL_MODE_AUTO_RETRY
        try demand(
            control(OpenSSL.SSL_CTRL_CLEAR_MODE, autoRetry) & autoRetry == 0,
            "the mode of sessions")
        // RFC 9113 §9.2.1: no renegotiation, no compression.
        let options = OpenSSL.SSL_OP_NO_RENEGOTIATION | OpenSSL.SSL_OP_NO_COMPRESSION
        let set = unsafe library.sslCtxSetOptions(context, options)
        try demand(set & options == options, "TLS without renegotiation and compression")
    }

    /// RFC 9113 §9.2.2: with TLS 1.2, only suites with ephemeral keys and authenticated encryption. The list
    /// does not apply to TLS 1.3, whose suites all have both.
    private static var cipherList: String { "ECDHE+AESGCM:ECDHE+CHACHA20" }

    /// Throws if the library supports none of the suites.
    func setCipherList(_ list: String) throws(TLSError) {
        library.errClearError()
        try demand(unsafe library.sslCtxSetCipherList(context, list) == 1, "the list of ciphers")
    }

    private func setApplicationProtocols() throws(TLSError) {
        let list = try TLSConfiguration.encode(configuration.applicationProtocols)
        guard configuration.role == .client, !list.isEmpty else { return }
        // The list is copied. Zero is success here.
        let result = unsafe list.withUnsafeBufferPointer { buffer in
            unsafe library.sslCtxSetAlpnProtos(
                context, buffer.baseAddress, CUnsignedInt(buffer.count))
        }
        try demand(result == 0, "the list of application protocols (ALPN)")
    }

    /// Throws if OpenSSL refused a setting, because a connection must not be less secure than configured.
    private func demand(_ isAccepted: Bool, _ what: String) throws(TLSError) {
        guard !isAccepted else { return }
        throw TLSError(.configuration, "OpenSSL refuses \(what): \(library.reason())")
    }

    private func setTrust() throws(TLSError) {
        let demandsPeer =
            configuration.role == .client
            ? configuration.verification != .none : configuration.demandsClientCertificate
        guard demandsPeer else { return }
        switch configuration.trust {
        case .system:
            guard unsafe library.sslCtxSetDefaultVerifyPaths(context) == 1 else {
                throw TLSError(
                    .configuration,
                    "the system's certificate authorities do not load: \(library.reason())")
            }
        case .authorities(let pem):
            let store = unsafe library.sslCtxGetCertStore(context)
            try unsafe OpenSSLPEM(library: library).forEachCertificate(
                in: pem, "the list of authorities"
            ) { _, certificate in
                unsafe library.x509StoreAddCert(store, certificate) == 1
            }
        }
        // The second flag affects servers only.
        unsafe library.sslCtxSetVerify(
            context, OpenSSL.SSL_VERIFY_PEER | OpenSSL.SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
            OpenSSLCallbacks.verify)
    }

    private func setIdentity(_ identity: TLSConfiguration.Identity?) throws(TLSError) {
        guard let identity else {
            guard configuration.role == .client else {
                throw TLSError(.configuration, "a server needs a certificate")
            }
            unsafe library.sslCtxSetClientCertCb(context, OpenSSLCallbacks.clientCertificate)
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
                .configuration,
                "the private key does not match the certificate: \(library.reason())")
        }
    }

    /// The argument 1 makes the context retain the certificate.
    private func addToChain(_ certificate: OpaquePointer) -> Bool {
        let pointer = unsafe UnsafeMutableRawPointer(certificate)
        return unsafe library.sslCtxCtrl(
            context, OpenSSL.SSL_CTRL_CHAIN_CERT, 1, pointer) == 1
    }

    private func setCallbacks() throws(TLSError) {
        if configuration.role == .client {
            guard configuration.resumesSessions else {
                _ = control(
                    OpenSSL.SSL_CTRL_SET_SESS_CACHE_MODE, OpenSSL.SSL_SESS_CACHE_OFF)
                return setKeyLog()
            }
            // ``tickets`` stores the tickets, not OpenSSL.
            _ = control(
                OpenSSL.SSL_CTRL_SET_SESS_CACHE_MODE,
                OpenSSL.SSL_SESS_CACHE_CLIENT | OpenSSL.SSL_SESS_CACHE_NO_INTERNAL)
            unsafe library.sslCtxSessSetNewCb(context, OpenSSLCallbacks.newTicket)
        } else {
            // Servers resume sessions from encrypted tickets, and store nothing.
            _ = control(
                OpenSSL.SSL_CTRL_SET_SESS_CACHE_MODE, OpenSSL.SSL_SESS_CACHE_OFF)
            let name = Array("swiftlet".utf8)
            let isSet = unsafe name.withUnsafeBufferPointer {
                unsafe library.sslCtxSetSessionIdContext(
                    context, $0.baseAddress, CUnsignedInt($0.count)) == 1
            }
            try demand(isSet, "the name of sessions")
            unsafe library.sslCtxSetAlpnSelectCb(context, OpenSSLCallbacks.selectProtocol, nil)
        }
        setKeyLog()
    }

    private func setKeyLog() {
        guard keyLog != nil else { return }
        unsafe library.sslCtxSetKeylogCallback(context, OpenSSLCallbacks.keyLog)
    }

    private func control(_ command: CInt, _ value: CLong) -> CLong {
        unsafe library.sslCtxCtrl(context, command, value, nil)
    }
}

extension TLSConfiguration.Version {
    fileprivate var number: CLong {
        self == .tls12 ? OpenSSL.TLS1_2_VERSION : OpenSSL.TLS1_3_VERSION
    }
}

extension TLSConfiguration {
    /// Each name with its length before it (RFC 7301 §3.1). Throws for a name that is empty or longer
    /// than 255 bytes.
    static func encode(_ applicationProtocols: [String]) throws(TLSError) -> [UInt8] {
        var list: [UInt8] = []
        for name in applicationProtocols {
            guard let byteCount = UInt8(exactly: name.utf8.count), byteCount > 0 else {
                throw TLSError(
                    .configuration,
                    "the name of an application protocol (ALPN) has 1 to 255 bytes, not "
                        + "\(name.utf8.count)")
            }
            list.append(byteCount)
            list.append(contentsOf: name.utf8)
        }
        return list
    }
}
