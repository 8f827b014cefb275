/// What the tree needs of the channel, beside the configuration.
struct TreeContext: Hashable, Sendable {
    /// The name of the program at the control plane, for messages.
    let node: String
    /// The certificate providers of the bootstrap.
    let providers: [ByteText: XDS.Bootstrap.FileWatcher]
    let loads: LoadReports
    /// Whether calls of a route have the name of their endpoint as the authority (A81).
    let rewritesAuthority: Bool
    /// Whether calls can have sessions.
    let hasSessions: Bool
}

/// What a balancer keeps of a cluster with endpoints from one update to the next.
struct LeafMemory: Sendable {
    var names = PriorityNames()
    var security: ClusterSecurity
    /// Counts the calls; nil if the cluster does not report its load.
    var load: ClusterLoad?

    /// - Parameter providers: The certificate providers of the bootstrap.
    init(_ providers: [ByteText: XDS.Bootstrap.FileWatcher]) {
        security = ClusterSecurity(providers)
    }

    /// Uses the newest resources of the cluster.
    mutating func use(_ leaf: LeafCluster, _ tree: TreeContext) {
        security.use(leaf.cluster.tls)
        let settings = ClusterLoad.Settings(leaf)
        if load?.settings != settings { load = settings.map { tree.loads.load($0) } }
    }
}
