#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// What OpenSSL's codes mean, in words.

extension OpenSSLLibrary {
    /// What the thread's queue of errors says, its oldest error first; empties it.
    func reason() -> String {
        let code = errGetError()
        errClearError()
        guard code != 0 else { return "no reason given" }
        // ERR_SYSTEM_FLAG: from version 3 on the system's own errors are marked, not worded.
        let systemFlag: CUnsignedLong = 1 << 31
        if code & systemFlag != 0,
            let text = unsafe strerror(CInt(truncatingIfNeeded: code & (systemFlag - 1)))
        {
            return unsafe String(cString: text)
        }
        guard let text = unsafe errReasonErrorString(code) else { return "error \(code)" }
        return unsafe String(cString: text)
    }

    /// Why a handshake failed, by the queue of errors.
    func handshakeFailure() -> TLSError { failure(for: reason()) }

    func failure(for reason: String) -> TLSError {
        if let alert = reason.range(of: " alert ") {
            let words = reason[alert.upperBound...]
            if words == "no application protocol" {
                return TLSError(
                    .applicationProtocol, "the peer speaks no protocol of ours (ALPN)")
            }
            return TLSError(.handshake, "the peer refused: \(words)")
        }
        switch reason {
        case "wrong version number", "http request", "https proxy request",
            "packet length too long":
            return TLSError(.handshake, "the peer does not speak TLS (\(reason))")
        case "no application protocol":
            return TLSError(.applicationProtocol, "the peer speaks no protocol of ours (ALPN)")
        case "peer did not return a certificate":
            return TLSError(.certificate, "the client sent no certificate")
        case "no reason given":
            return TLSError(.truncated, "the connection ended during the handshake")
        default:
            return TLSError(.handshake, reason)
        }
    }

    /// Why `certificate` was not accepted; `code` is X509_V_ERR_….
    func verificationFailure(
        _ code: CInt, _ certificate: OpaquePointer?, host: String?
    ) -> TLSError {
        let text = unsafe x509VerifyCertErrorString(CLong(code)).map { unsafe String(cString: $0) }
        let words = text ?? "error \(code)"
        let message =
            switch code {
            case 62, 64:  // HOSTNAME_MISMATCH, IP_ADDRESS_MISMATCH
                unsafe "host name mismatch: certificate is for "
                    + names(of: certificate).joined(separator: ", ") + ", not for \(host ?? "?")"
            case 2, 18, 19, 20, 21:  // no issuer found, or one that nobody trusts
                unsafe "unknown certificate authority \(issuer(of: certificate)): \(words)"
            case 9, 10, 11, 12:  // outside its time, named in full by OpenSSL
                words
            default:
                "certificate refused: \(words)"
            }
        return TLSError(.certificate, message)
    }
}

extension String {
    /// Where `words` begin and end, for the first time.
    fileprivate func range(of words: String) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(words) {
                return start..<index(start, offsetBy: words.count)
            }
            formIndex(after: &start)
        }
        return nil
    }
}
