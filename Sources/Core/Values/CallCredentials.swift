/// Gives each call what proves who makes it.
///
/// ``BearerToken`` is one; another is a type with one method.
public protocol CallCredentials: Sendable {
    /// Metadata to send with a call of `path` to `authority`. A failure fails the call with what
    /// was thrown.
    func metadata(path: String, authority: String) async throws(RPCError) -> Metadata

    /// The same, when it is at hand: then the call does not wait for a task. Nil leaves it to
    /// ``metadata(path:authority:)``.
    func metadataAtHand(path: String, authority: String) -> Metadata?

    /// Whether it may be sent where everybody on the way can read it. `false` unless said
    /// otherwise; calls over channels that are not secure then fail with UNAUTHENTICATED.
    var isAllowedInTheClear: Bool { get }
}

extension CallCredentials {
    public func metadataAtHand(path: String, authority: String) -> Metadata? { nil }
    public var isAllowedInTheClear: Bool { false }
}
