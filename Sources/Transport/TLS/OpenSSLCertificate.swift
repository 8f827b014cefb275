// The contents of a certificate. The caller owns the certificates; they are only read.

extension OpenSSLLibrary {
    /// The certificate in DER. Empty if OpenSSL cannot encode it.
    func der(_ certificate: OpaquePointer?) -> [UInt8] {
        let count = unsafe i2dX509(certificate, nil)
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            // i2d_X509 moves the pointer to the end of the `count` bytes that it writes.
            var end = buffer.baseAddress
            _ = unsafe i2dX509(certificate, &end)
        }
        return bytes
    }

    /// SHA-256 of the SubjectPublicKeyInfo in DER (RFC 7469 §2.4). Empty if OpenSSL cannot encode it.
    func keyDigest(of certificate: OpaquePointer?) -> [UInt8] {
        let key = unsafe x509GetX509Pubkey(certificate)
        let count = unsafe i2dX509Pubkey(key, nil)
        guard count > 0 else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(count))
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            // i2d_X509_PUBKEY moves the pointer to the end of the `count` bytes that it writes.
            var end = buffer.baseAddress
            _ = unsafe i2dX509Pubkey(key, &end)
        }
        var digest = [UInt8](repeating: 0, count: Self.digestByteCount)
        unsafe digest.withUnsafeMutableBufferPointer { digest in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                // SHA256 writes the 32 bytes that `digest` has.
                _ = unsafe sha256(bytes.baseAddress, bytes.count, digest.baseAddress)
            }
        }
        return digest
    }

    private static var digestByteCount: Int { 32 }

    func issuer(of certificate: OpaquePointer?) -> String {
        guard let certificate = unsafe certificate else { return "(none)" }
        return unsafe commonName(x509GetIssuerName(certificate)) ?? "(without a name)"
    }

    /// The hosts and addresses for which the certificate is valid (RFC 9525 §6).
    func names(of certificate: OpaquePointer?) -> [String] {
        unsafe alternativeNames(of: certificate).compactMap { name in
            switch name {
            case .dns(let bytes): String(decoding: bytes, as: UTF8.self)
            case .address(let bytes): address(bytes)
            case .uri, .email: nil
            }
        }
    }

    /// The subject alternative names of the kinds that are strings of bytes.
    func alternativeNames(of certificate: OpaquePointer?) -> [SubjectAlternativeName] {
        guard let certificate = unsafe certificate else { return [] }
        guard
            let list = unsafe x509GetExtD2i(
                certificate, OpenSSL.NID_subject_alt_name, nil, nil)
        else {
            return []
        }
        defer { unsafe generalNamesFree(list) }
        var names: [SubjectAlternativeName] = []
        for index in 0..<max(0, unsafe opensslSkNum(list)) {
            var kind: CInt = -1
            let value = unsafe generalNameGet0Value(opensslSkValue(list, index), &kind)
            // The value is a string for these kinds only.
            switch kind {
            case OpenSSL.GEN_DNS: names.append(.dns(unsafe bytes(of: value)))
            case OpenSSL.GEN_URI: names.append(.uri(unsafe bytes(of: value)))
            case OpenSSL.GEN_EMAIL: names.append(.email(unsafe bytes(of: value)))
            case OpenSSL.GEN_IPADD: names.append(.address(unsafe bytes(of: value)))
            default: break
            }
        }
        return names
    }

    private func bytes(of string: OpaquePointer?) -> [UInt8] {
        guard let string = unsafe string, let start = unsafe asn1StringGet0Data(string) else {
            return []
        }
        let count = unsafe max(0, Int(asn1StringLength(string)))
        // The count is the string's own length.
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    private func address(_ bytes: [UInt8]) -> String {
        guard bytes.count == 16 else { return bytes.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { index in
            let (high, low) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return String(high << 8 | low, radix: 16)
        }
        return groups.joined(separator: ":")
    }

    private func commonName(_ name: OpaquePointer?) -> String? {
        var text = [CChar](repeating: 0, count: 256)
        let count = unsafe text.withUnsafeMutableBufferPointer { buffer in
            unsafe x509NameGetTextByNid(
                name, OpenSSL.NID_commonName, buffer.baseAddress, CInt(buffer.count))
        }
        guard count > 0 else { return nil }
        return String(decoding: text.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
