/// A name in a certificate (RFC 5280 §4.2.1.6), as the peer's authority has written it: bytes that nothing has
/// checked. For the other kinds of names there is no case.
package enum SubjectAlternativeName: Equatable, Sendable {
    case dns([UInt8])
    case uri([UInt8])
    case email([UInt8])
    /// 4 bytes for IPv4 and 16 for IPv6, unless the certificate is wrong.
    case address([UInt8])
}
