/// The SHA-256 digest of a public key: of the SubjectPublicKeyInfo of a certificate (RFC 7469 §2.4).
///
///     openssl x509 -in server.pem -pubkey -noout | openssl pkey -pubin -outform der | openssl dgst -sha256
///
/// The error of a server whose keys are not pinned names the digests of its keys.
public struct PublicKeyPin: Hashable, Sendable {
    private static let byteCount = 32

    let digest: [UInt8]

    /// The digest as 64 hexadecimal digits, as the command above prints it, or in base64, as other tools
    /// do; `sha256/` before it is ignored. Throws INVALID_ARGUMENT for text that is not 32 bytes.
    public init(_ text: String) throws(RPCError) {
        let prefix = "sha256/"
        let encoded = text.hasPrefix(prefix) ? text.dropFirst(prefix.count) : text[...]
        guard let digest = Self.hexadecimal(encoded) ?? Base64.decode(encoded.utf8),
            digest.count == Self.byteCount
        else {
            throw .refused(
                .invalidArgument,
                "not a pin of a public key: '\(RPCError.shown(text))' (expected SHA-256, "
                    + "as 64 hexadecimal digits or in base64)")
        }
        self.digest = digest
    }

    private static func hexadecimal(_ text: Substring) -> [UInt8]? {
        let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard digits.count == 2 * byteCount, text.utf8.count == digits.count else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { index in
            let (high, low) = (digits[index], digits[index + 1])
            return UInt8(high << 4 | low)
        }
    }
}

extension PublicKeyPin: CustomStringConvertible {
    public var description: String { "sha256/\(Base64.encode(digest))" }
}
