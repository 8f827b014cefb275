/// Reads certificates and keys in PEM.
struct OpenSSLPEM {
    let library: OpenSSLLibrary

    /// Calls `body` with each certificate, then frees it. Throws if `pem` has none.
    func forEachCertificate(
        in pem: TLSConfiguration.PEM, _ what: String,
        _ body: (_ index: Int, _ certificate: OpaquePointer) -> Bool
    ) throws(TLSError) {
        let source = try unsafe open(pem, what)
        defer { _ = unsafe library.bioFree(source) }
        var count = 0
        while let certificate = unsafe library.pemReadBioX509(source, nil, Self.noPassword, nil) {
            defer { unsafe library.x509Free(certificate) }
            guard unsafe body(count, certificate) else {
                throw TLSError(.configuration, "\(what) is refused: \(library.reason())")
            }
            count += 1
        }
        // OpenSSL reports an error for the end of the text, and another error for a broken
        // certificate.
        let reason = library.reason()
        guard count > 0 else {
            throw TLSError(.configuration, "\(what) \(pem.place) has no certificate: \(reason)")
        }
        guard reason.code == .noStartLine else {
            throw TLSError(.configuration, "\(what) \(pem.place) is broken: \(reason)")
        }
    }

    /// Calls `body` with the private key of `pem`. Frees it afterwards.
    func withPrivateKey(
        in pem: TLSConfiguration.PEM, _ body: (OpaquePointer) -> Bool
    ) throws(TLSError) {
        let source = try unsafe open(pem, "the private key")
        defer { _ = unsafe library.bioFree(source) }
        guard let key = unsafe library.pemReadBioPrivateKey(source, nil, Self.noPassword, nil)
        else {
            throw TLSError(
                .configuration, "the private key \(pem.place) cannot be read: \(library.reason())")
        }
        defer { unsafe library.evpPkeyFree(key) }
        guard unsafe body(key) else {
            throw TLSError(
                .configuration, "the private key \(pem.place) is refused: \(library.reason())")
        }
    }

    private func open(
        _ pem: TLSConfiguration.PEM, _ what: String
    ) throws(TLSError) -> OpaquePointer {
        library.errClearError()
        switch pem {
        case .file(let path):
            if let source = unsafe library.bioNewFile(path, "r") { return unsafe source }
            throw TLSError(
                .configuration, "\(what) \(pem.place) cannot be opened: \(library.reason())")
        case .text(var text):
            // The source has the only copy, and erases it when it is freed.
            guard let source = unsafe library.bioNew(library.bioSMem()) else {
                throw TLSError(.configuration, "\(what): out of memory")
            }
            let count = text.withUTF8 { bytes in
                unsafe library.bioWrite(source, bytes.baseAddress, CInt(clamping: bytes.count))
            }
            guard text.isEmpty || count == text.utf8.count else {
                _ = unsafe library.bioFree(source)
                throw TLSError(.configuration, "\(what) cannot be read: \(library.reason())")
            }
            return unsafe source
        }
    }

    /// Refuses to give a password. Without it, OpenSSL would ask for the password of an encrypted
    /// key at the terminal.
    private static var noPassword: OpenSSLLibrary.PasswordCallback { { _, _, _, _ in -1 } }
}

extension TLSConfiguration.PEM {
    /// The source of the PEM, for the text of an error.
    fileprivate var place: String {
        switch self {
        case .text: "text"
        case .file(let path): "file \(path)"
        }
    }
}
