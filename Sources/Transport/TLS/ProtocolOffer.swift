/// The application protocols (ALPN, RFC 7301) that one side of a handshake offers.
package struct ProtocolOffer: Sendable {
    package let names: [String]
    /// Whether the handshake must choose one of them.
    let isRequired: Bool

    package init(_ names: [String], isRequired: Bool) {
        self.names = names
        self.isRequired = isRequired
    }

    /// The error of a handshake that chose `chosen`, or nothing. Nil if this is allowed. RFC 9113 §3.2: over TLS,
    /// HTTP/2 is used only if ALPN selected it.
    package func refusal(of chosen: String?) -> TLSError? {
        guard !names.isEmpty, chosen != nil || isRequired else { return nil }
        if let chosen, names.contains(chosen) { return nil }
        let found = chosen.map { "chose \(PeerText.clean($0))" } ?? "chose no protocol"
        return TLSError(
            .applicationProtocol,
            "the peer \(found); \(names.joined(separator: ", ")) is needed (ALPN)")
    }
}
