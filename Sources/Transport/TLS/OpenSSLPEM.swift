/// Certificates and keys as people keep them.
struct OpenSSLPEM {
    let library: OpenSSLLibrary

    /// Gives `body` each certificate of `pem` in turn, at least one. It is freed afterwards.
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
        // The end of the text is an error to OpenSSL. So is a broken certificate, which must not
        // pass for the end.
        let reason = library.reason()
        guard count > 0 else {
            throw TLSError(.configuration, "\(what) \(pem.place) has no certificate: \(reason)")
        }
        guard reason == "no start line" else {
            throw TLSError(.configuration, "\(what) \(pem.place) is broken: \(reason)")
        }
    }

    /// Lends `body` the private key of `pem`.
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
        case .text(let text):
            // The source keeps a copy: the text need not outlive this call.
            guard let source = unsafe library.bioNew(library.bioSMem()) else {
                throw TLSError(.configuration, "\(what): out of memory")
            }
            let octets = Array(text.utf8)
            _ = unsafe octets.withUnsafeBytes { bytes in
                unsafe library.bioWrite(source, bytes.baseAddress, CInt(clamping: bytes.count))
            }
            return unsafe source
        }
    }

    /// Without it OpenSSL would ask for an encrypted key's password at the terminal.
    private static var noPassword: OpenSSLLibrary.PasswordCallback { { _, _, _, _ in -1 } }
}

extension TLSConfiguration.PEM {
    /// Where it came from, for an error.
    fileprivate var place: String {
        switch self {
        case .text: "text"
        case .file(let path): "file \(path)"
        }
    }
}
