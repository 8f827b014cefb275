import Synchronization

/// What a config selector has decided for one call (proposal A31). All attempts of the call share it, and
/// pickers read it.
package final class CallSelection: Sendable {
    /// The hash by which `ring_hash` places the call; nil if the selector computes none.
    package let requestHash: UInt64?
    /// What the balancers of the selector's module read.
    package let attributes: (any AnyObject & Sendable)?
    /// Sees the response of each attempt; nil for most calls.
    let responseFilter: (any ResponseFilter)?
    /// Why the selector fails the call; nil if it does not.
    let failure: RPCError?
    /// Whether the end of an attempt is the end of the call.
    private let isSentOnce: Bool
    private let cluster: Mutex<(any AnyObject & Sendable)?>

    package init(
        requestHash: UInt64? = nil, attributes: (any AnyObject & Sendable)? = nil,
        cluster: (any AnyObject & Sendable)? = nil,
        responseFilter: (any ResponseFilter)? = nil, isSentOnce: Bool = true
    ) {
        self.requestHash = requestHash
        self.attributes = attributes
        self.cluster = Mutex(cluster)
        self.responseFilter = responseFilter
        self.isSentOnce = isSentOnce
        failure = nil
    }

    init(failure: RPCError) {
        requestHash = nil
        attributes = nil
        cluster = Mutex(nil)
        responseFilter = nil
        isSentOnce = true
        self.failure = failure
    }
}

extension CallSelection {
    /// Releases the object of the cluster, because the call is committed or over. Must be called outside of
    /// every lock: the last release may call the resolver.
    package func release() {
        let released = cluster.withLock { $0.take() }
        // Released outside the lock.
        _ = released
    }

    /// Releases the object of the cluster at the end of an attempt, if no other attempt can follow.
    func attemptEnded() { if isSentOnce { release() } }
}

/// A step of a call when a server answers it.
package protocol ResponseFilter: Sendable {
    /// Changes the metadata with which the response to an attempt begins: that of its headers, or that of its
    /// trailers if it has no headers. Called before the call receives it, on the thread of the connection and
    /// outside of every lock. Must not block.
    func responseBegins(with metadata: inout Metadata)
}
