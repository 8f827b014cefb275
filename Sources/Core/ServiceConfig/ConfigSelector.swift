/// Chooses the settings of each call of a channel, in place of the methods of its service config (proposal
/// A31). A resolver reports it with its result.
package protocol ConfigSelector: AnyObject, Sendable {
    /// Called once for each call, below its interceptors, on the thread of the call and outside of every lock.
    /// Must not block.
    ///
    /// If it throws, the call fails, even if it waits for ready. A code that only a server's application may use
    /// becomes INTERNAL (proposal A54).
    func select(for path: String, _ metadata: Metadata) throws(RPCError) -> CallSelection
}

/// As long as it exists, the resolver keeps the cluster of a call.
package typealias KeptCluster = AnyObject & Sendable

/// A step of a call between the choice of its settings and its first attempt.
package protocol CallFilter: AnyObject, Sendable {
    /// Calls `proceed` once, now or later, on any thread: with nil to send the call, and with an error to end it
    /// with that error. Has no effect after the end of the call.
    ///
    /// Returns what is called once if the call ends without being sent, on any thread and outside of every lock. The
    /// step then need not call `proceed`. Nil if there is nothing to do then.
    func begin(_ proceed: @escaping @Sendable (RPCError?) -> Void) -> (@Sendable () -> Void)?
}

/// A step of a call when a server answers it.
package protocol ResponseFilter: AnyObject, Sendable {
    /// Changes the metadata with which the response to an attempt begins: that of its headers, or that of its
    /// trailers if it has no headers. Called before the call receives it, on the thread of the connection and
    /// outside of every lock. Must not block.
    func responseBegins(with metadata: inout Metadata)
}
