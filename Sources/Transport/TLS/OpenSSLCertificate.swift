// What stands in a certificate. The certificates are the caller's, and are only read.

extension OpenSSLLibrary {
    /// The certificate as it travels.
    func der(_ certificate: OpaquePointer?) -> [UInt8] {
        let count = unsafe i2dX509(certificate, nil)
        guard count > 0 else { return [] }
        var octets = [UInt8](repeating: 0, count: Int(count))
        unsafe octets.withUnsafeMutableBufferPointer { buffer in
            // i2d_X509 moves the pointer that it is given over the `count` octets it writes.
            var end = buffer.baseAddress
            _ = unsafe i2dX509(certificate, &end)
        }
        return octets
    }

    func issuer(of certificate: OpaquePointer?) -> String {
        guard let certificate = unsafe certificate else { return "(none)" }
        return unsafe commonName(x509GetIssuerName(certificate)) ?? "(without a name)"
    }

    /// The hosts and addresses that the certificate is for (RFC 9525); of an old one without
    /// such a list, its common name.
    func names(of certificate: OpaquePointer?) -> [String] {
        guard let certificate = unsafe certificate else { return ["nobody"] }
        let subjectAltName: CInt = 85
        guard let list = unsafe x509GetExtD2i(certificate, subjectAltName, nil, nil) else {
            return unsafe [commonName(x509GetSubjectName(certificate)) ?? "nobody"]
        }
        defer { unsafe generalNamesFree(list) }
        var names: [String] = []
        for index in 0..<max(0, unsafe opensslSkNum(list)) {
            var kind: CInt = -1
            let value = unsafe generalNameGet0Value(opensslSkValue(list, index), &kind)
            // The value is a string for these two kinds only.
            switch kind {
            case 2: names.append(unsafe String(decoding: octets(of: value), as: UTF8.self))
            case 7: names.append(unsafe address(octets(of: value)))
            default: break
            }
        }
        return names.isEmpty ? ["nobody"] : names
    }

    private func octets(of string: OpaquePointer?) -> [UInt8] {
        guard let string = unsafe string, let start = unsafe asn1StringGet0Data(string) else {
            return []
        }
        let count = unsafe max(0, Int(asn1StringLength(string)))
        // The string says itself how long it is.
        return unsafe Array(UnsafeBufferPointer(start: start, count: count))
    }

    private func address(_ octets: [UInt8]) -> String {
        guard octets.count == 16 else { return octets.map { "\($0)" }.joined(separator: ".") }
        let groups = stride(from: 0, to: 16, by: 2).map { index in
            String(UInt16(octets[index]) << 8 | UInt16(octets[index + 1]), radix: 16)
        }
        return groups.joined(separator: ":")
    }

    private func commonName(_ name: OpaquePointer?) -> String? {
        let commonName: CInt = 13
        var text = [CChar](repeating: 0, count: 256)
        let count = unsafe text.withUnsafeMutableBufferPointer { buffer in
            unsafe x509NameGetTextByNid(name, commonName, buffer.baseAddress, CInt(buffer.count))
        }
        guard count > 0 else { return nil }
        return String(decoding: text.prefix(Int(count)).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
