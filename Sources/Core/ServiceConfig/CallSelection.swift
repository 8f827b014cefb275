import Synchronization

/// What a config selector has decided for one call (proposal A31). All attempts of the call share it.
package final class CallSelection: Sendable {
    /// The timeout, the retries and the limits. The names are not used. Nil leaves the options of the call as they are.
    package let settings: MethodSettings?
    /// The hash by which `ring_hash` places the call; nil if the selector computes none.
    package let requestHash: UInt64?
    /// What the pickers of the selector's module read.
    package let attributes: (any CallAttributes)?
    /// A step before the first attempt; nil for most calls.
    let filter: (any CallFilter)?
    /// Sees the response of each attempt; nil for most calls.
    let responseFilter: (any ResponseFilter)?
    /// Why the selector fails the call; nil if it does not.
    let failure: RPCError?
    private let cluster: Mutex<Cluster>

    private struct Cluster: ~Copyable {
        var object: (any KeptCluster)?
        /// Whether the end of an attempt is not always the end of the call.
        var servesAttempts = false
    }

    /// - Parameter cluster: An object that the call keeps until it is committed or over. The resolver keeps the
    ///   cluster of the call as long as it exists.
    package init(
        _ settings: MethodSettings? = nil, requestHash: UInt64? = nil,
        attributes: (any CallAttributes)? = nil, cluster: (any KeptCluster)? = nil,
        filter: (any CallFilter)? = nil, responseFilter: (any ResponseFilter)? = nil,
        failure: RPCError? = nil
    ) {
        self.settings = settings
        self.requestHash = requestHash
        self.attributes = attributes
        self.cluster = Mutex(Cluster(object: cluster))
        self.filter = filter
        self.responseFilter = responseFilter
        self.failure = failure
    }
}

extension CallSelection {
    /// Releases the object of the cluster, because the call is committed or over. Must be called outside of
    /// every lock: the last release may call the resolver.
    package func release() {
        let released = cluster.withLock { $0.object.take() }
        // Released outside the lock.
        _ = released
    }

    /// The call has attempts, and releases the object itself at its end.
    func serveAttempts() { cluster.withLock { $0.servesAttempts = true } }

    /// Releases the object of the cluster at the end of an attempt, if that is the end of the call.
    func attemptEnded() {
        let released = cluster.withLock { $0.servesAttempts ? nil : $0.object.take() }
        // Released outside the lock.
        _ = released
    }
}

/// A step of a call when a server answers it.
package protocol ResponseFilter: AnyObject, Sendable {
    /// Changes the metadata with which the response to an attempt begins: that of its headers, or that of its
    /// trailers if it has no headers. Called before the call receives it, on the thread of the connection and
    /// outside of every lock. Must not block.
    func responseBegins(with metadata: inout Metadata)
}
