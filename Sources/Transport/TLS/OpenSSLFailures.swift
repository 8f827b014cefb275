#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// OpenSSL's errors as errors of this module.

extension OpenSSLLibrary {
    /// The oldest error in the thread's queue. Empties the queue.
    func reason() -> OpenSSLReason {
        let packed = errGetError()
        errClearError()
        guard packed != 0 else { return .missing }
        if isVersion3, packed & OpenSSL.ERR_SYSTEM_FLAG != 0 {
            let number = CInt(truncatingIfNeeded: packed & (OpenSSL.ERR_SYSTEM_FLAG - 1))
            let text = unsafe strerror(number).map { unsafe String(cString: $0) }
            return OpenSSLReason(code: nil, text: text ?? "error \(number)")
        }
        let text = unsafe errReasonErrorString(packed).map { unsafe String(cString: $0) }
        return OpenSSLReason(
            code: .init(packed: packed, isVersion3: isVersion3), text: text ?? "error \(packed)")
    }

}

extension TLSError {
    /// The error of a handshake that OpenSSL ended with `reason`.
    init(handshake reason: OpenSSLReason) {
        guard !reason.isMissing else {
            self.init(.truncated, "the connection ended during the handshake")
            return
        }
        guard let code = reason.code, code.library == OpenSSL.ERR_LIB_SSL else {
            self.init(.handshake, reason.text)
            return
        }
        if let alert = code.alert {
            self.init(alert: alert)
            return
        }
        switch code.number {
        case OpenSSL.SSL_R_WRONG_VERSION_NUMBER, OpenSSL.SSL_R_HTTP_REQUEST,
            OpenSSL.SSL_R_HTTPS_PROXY_REQUEST, OpenSSL.SSL_R_PACKET_LENGTH_TOO_LONG:
            self.init(.handshake, "the peer does not speak TLS (\(reason.text))")
        case OpenSSL.SSL_R_NO_APPLICATION_PROTOCOL:
            self.init(alert: .noApplicationProtocol)
        case OpenSSL.SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE:
            self.init(.certificate, "the client sent no certificate")
        default:
            self.init(.handshake, reason.text)
        }
    }

    private init(alert: TLSAlert) {
        switch alert {
        case .noApplicationProtocol:
            self.init(
                .applicationProtocol, "the peer supports none of the offered protocols (ALPN)")
        default: self.init(.handshake, "the peer refused: \(alert)")
        }
    }
}

extension OpenSSLReason.Code {
    /// The alert that the peer sent. Nil for any other reason.
    fileprivate var alert: TLSAlert? {
        guard number >= OpenSSL.SSL_AD_REASON_OFFSET else { return nil }
        return UInt8(exactly: number - OpenSSL.SSL_AD_REASON_OFFSET).map(TLSAlert.init(rawValue:))
    }
}

// MARK: - Certificates

extension OpenSSLLibrary {
    /// Why `certificate` was not accepted. `code` is X509_V_ERR_….
    func verificationFailure(
        _ code: CInt, _ certificate: OpaquePointer?, _ identity: ServerIdentity?
    ) -> TLSError {
        let text = unsafe x509VerifyCertErrorString(CLong(code)).map { unsafe String(cString: $0) }
        let words = text ?? "error \(code)"
        let message =
            switch code {
            case OpenSSL.X509_V_ERR_HOSTNAME_MISMATCH, OpenSSL.X509_V_ERR_IP_ADDRESS_MISMATCH:
                unsafe mismatch(names(of: certificate), identity)
            case OpenSSL.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT,
                OpenSSL.X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
                OpenSSL.X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN,
                OpenSSL.X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY,
                OpenSSL.X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
                unsafe "unknown certificate authority \(PeerText.clean(issuer(of: certificate))): \(words)"
            case OpenSSL.X509_V_ERR_CERT_NOT_YET_VALID, OpenSSL.X509_V_ERR_CERT_HAS_EXPIRED,
                OpenSSL.X509_V_ERR_CRL_NOT_YET_VALID, OpenSSL.X509_V_ERR_CRL_HAS_EXPIRED:
                words
            default:
                "certificate refused: \(words)"
            }
        return TLSError(.certificate, message)
    }

    private func mismatch(_ names: [String], _ identity: ServerIdentity?) -> String {
        let wanted = identity.map { "\($0)" } ?? "?"
        guard !names.isEmpty else {
            return "host name mismatch: the certificate has no host name (subjectAltName); "
                + "\(wanted) is needed"
        }
        let list = PeerText.clean(names.joined(separator: ", "))
        return "host name mismatch: certificate is for \(list), not for \(wanted)"
    }
}
