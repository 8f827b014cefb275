// The identity that a session expects of its peer, and the identity that the peer has.

extension OpenSSLSession {
    /// Sends the identity as SNI, and makes OpenSSL check the peer's certificate for it. Offers a ticket of an
    /// earlier session with that peer.
    func setIdentity() throws(TLSError) {
        let verification = context.configuration.verification
        guard let identity else {
            guard verification != .full else {
                throw TLSError(.configuration, "no host is given that the certificate must be for")
            }
            return
        }
        if verification != .chain { try check(identity) }
        if case .name(let name) = identity { try setServerName(name) }
        library.errClearError()
        guard context.configuration.resumesSessions else { return }
        unsafe context.tickets.take(for: identity)?.offer(to: ssl)
    }

    private func check(_ identity: ServerIdentity) throws(TLSError) {
        let parameters = unsafe library.sslGet0Param(ssl)
        switch identity {
        case .address(let address):
            guard unsafe library.x509VerifyParamSet1IpAsc(parameters, address) == 1 else {
                throw TLSError(.configuration, "not an address: '\(address)'")
            }
        case .name(let name):
            unsafe library.x509VerifyParamSetHostflags(parameters, Self.hostFlags)
            guard unsafe library.x509VerifyParamSet1Host(parameters, name, 0) == 1 else {
                throw TLSError(.configuration, "not a host name: '\(name)'")
            }
        }
    }

    /// RFC 9525 §6.3 and §2: no partial wildcards, and the Common Name of a certificate is no identity.
    private static var hostFlags: CUnsignedInt {
        OpenSSL.X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
            | OpenSSL.X509_CHECK_FLAG_NEVER_CHECK_SUBJECT
    }

    /// OpenSSL copies the name.
    private func setServerName(_ name: String) throws(TLSError) {
        var bytes = Array(name.utf8) + [0]
        let isSet = unsafe bytes.withUnsafeMutableBytes {
            unsafe library.sslCtrl(
                ssl, OpenSSL.SSL_CTRL_SET_TLSEXT_HOSTNAME, 0, $0.baseAddress) == 1
        }
        guard isSet else {
            throw TLSError(.configuration, "not a host name: '\(name)' (\(library.reason()))")
        }
    }

    /// Called by OpenSSL while it verifies certificates. Keeps the first refusal.
    func refuse(_ code: CInt, _ certificate: OpaquePointer?) {
        guard refusal == nil else { return }
        refusal = unsafe library.verificationFailure(code, certificate, identity)
    }

    package func isPeer(_ identity: ServerIdentity) -> Bool {
        guard context.configuration.verification == .full, identity != self.identity else {
            return true
        }
        guard let certificate = unsafe library.sslGet1PeerCertificate(ssl) else { return false }
        defer { unsafe library.x509Free(certificate) }
        switch identity {
        case .name(let name):
            return unsafe library.x509CheckHost(
                certificate, name, name.utf8.count, Self.hostFlags, nil) == 1
        case .address(let address):
            return unsafe library.x509CheckIpAsc(certificate, address, 0) == 1
        }
    }
}

// MARK: - Results of the handshake

extension OpenSSLSession {
    package var negotiatedProtocol: String? {
        var start: UnsafePointer<UInt8>?
        var count: CUnsignedInt = 0
        unsafe library.sslGet0AlpnSelected(ssl, &start, &count)
        guard let start = unsafe start, count > 0 else { return nil }
        // The name belongs to the SSL object, and is copied.
        let bytes = unsafe UnsafeBufferPointer(start: start, count: Int(count))
        return unsafe String(decoding: bytes, as: UTF8.self)
    }

    package var protocolVersion: String {
        unsafe library.sslGetVersion(ssl).map { unsafe String(cString: $0) } ?? "unknown"
    }

    package var isResumed: Bool { unsafe library.sslSessionReused(ssl) == 1 }

    /// The chain that OpenSSL built from the peer's certificate to an authority, in DER. Without verification, the
    /// certificates that the peer sent.
    package var verifiedCertificates: [[UInt8]] {
        guard context.configuration.verification != .none else { return peerCertificates }
        return unsafe mapVerifiedChain { unsafe library.der($0) }
    }

    package var peerNames: [SubjectAlternativeName] {
        guard let own = unsafe library.sslGet1PeerCertificate(ssl) else { return [] }
        defer { unsafe library.x509Free(own) }
        return unsafe library.alternativeNames(of: own)
    }

    /// Calls `body` with each certificate of the verified chain. Empty if there is none.
    private func mapVerifiedChain(_ body: (OpaquePointer?) -> [UInt8]) -> [[UInt8]] {
        let chain = unsafe library.sslGet0VerifiedChain(ssl)
        let count = unsafe chain == nil ? 0 : max(0, library.opensslSkNum(chain))
        return (0..<count).map { unsafe body(library.opensslSkValue(chain, $0)) }
    }

    /// The digests of the public keys that are compared with the pins. The peer may send any certificates
    /// together with its own. So only the verified chain is used. Without verification, only the peer's own
    /// certificate is used.
    var keyDigests: [[UInt8]] {
        guard context.configuration.verification == .none else {
            return unsafe mapVerifiedChain { unsafe library.keyDigest(of: $0) }
        }
        guard let own = unsafe library.sslGet1PeerCertificate(ssl) else { return [] }
        defer { unsafe library.x509Free(own) }
        return [unsafe library.keyDigest(of: own)]
    }

    package var peerCertificates: [[UInt8]] {
        guard let own = unsafe library.sslGet1PeerCertificate(ssl) else { return [] }
        defer { unsafe library.x509Free(own) }
        let first = unsafe library.der(own)
        // OpenSSL owns the chain. On a client it begins with the server's own certificate; on a server it
        // does not contain the client's.
        let chain = unsafe library.sslGetPeerCertChain(ssl)
        let count = unsafe chain == nil ? 0 : max(0, library.opensslSkNum(chain))
        let others = (0..<count).map { unsafe library.der(library.opensslSkValue(chain, $0)) }
        return [first] + others.filter { $0 != first }
    }
}
