/// Gives each call what proves who makes it.
public protocol CallCredentials: Sendable {
    /// Metadata to send with a call of `path` to `authority`. A failure fails the call with what
    /// was thrown.
    func metadata(path: String, authority: String) async throws(RPCError) -> Metadata
}
