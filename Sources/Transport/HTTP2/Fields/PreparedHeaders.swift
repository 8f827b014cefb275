/// The fields that are the same in each request of one method: `:method`, `:path`, `content-type`
/// and others.
///
/// An encoder recognizes the object, not its contents. After one or two requests, all fields are in
/// the encoder's table. Then the encoder only copies a few bytes for them.
package final class PreparedHeaders: Sendable {
    package let list: HeaderList
    /// The authority that the server must prove to be over TLS, beside the host of the connection. Nil for
    /// requests to that host.
    package let otherAuthority: String?
    /// The same for a connection without TLS; nil if all connections have the same `:scheme`.
    package let insecure: PreparedHeaders?

    package init(
        _ list: HeaderList, otherAuthority: String? = nil, insecure: PreparedHeaders? = nil
    ) {
        self.list = list
        self.otherAuthority = otherAuthority
        self.insecure = insecure
    }
}
