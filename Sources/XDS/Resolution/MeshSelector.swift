import SwiftletBalancing
import SwiftletCore

/// Chooses the route of each call of a channel, and with it the cluster and the settings (A31).
struct MeshSelector: ConfigSelector {
    let listener: Listener
    let table: RouteTable
    private let faults: [Listener.Filter]
    private let sessions: [Listener.Filter]
    private let uses: [ByteText: ClusterUse]
    /// The same for all calls of the channel.
    let channelID: UInt64
    let random: PickerRandom

    /// - Parameter uses: Those of all clusters of the routes.
    init(
        _ configuration: MeshConfiguration, _ uses: [ByteText: ClusterUse], channelID: UInt64,
        seed: UInt64 = .random(in: 0 ... .max)
    ) {
        random = PickerRandom(seed: seed)
        listener = configuration.listener
        table = RouteTable(configuration.virtualHost)
        faults = listener.filters.filter { if case .fault = $0.config { true } else { false } }
        sessions = listener.filters.filter(\.config.isSession)
        self.uses = uses
        self.channelID = channelID
    }

    func config(for path: String, _ metadata: Metadata) throws(RPCError) -> CallConfig {
        let call = CallHeaders(path: path, metadata: metadata)
        switch table.decide(call, random: random.below) {
        case .noRoute: throw .noConnection("xds: no route matches the call")
        case .otherAction:
            throw .noConnection("xds: the call matches a route that forwards no calls")
        case .forward(let routed): return try config(for: call, routed)
        }
    }

    private func config(
        for call: CallHeaders, _ routed: RoutedCall
    ) throws(RPCError) -> CallConfig {
        let cookie = sessions.isEmpty ? nil : sessionCookie(for: call, routed)
        let server = cookie?.server(of: call.metadata)
        // A60: the cluster of a session is kept if the route still has it.
        let kept = server.flatMap { routed.forwarding.has($0.cluster) ? $0.cluster : nil }
        let cluster = kept ?? routed.cluster
        guard let use = uses[cluster] else {
            // Not reached: there is a use of each cluster of the routes.
            throw RPCError(.internal, "xds: the cluster '\(cluster)' is not in use")
        }
        var config = CallConfig()
        config.method.timeout = routed.maxDuration(of: listener)
        config.method.retry = routed.forwarding.retry
        // A call without a hash goes to a random endpoint (A42).
        config.requestHash =
            routed.forwarding.hashPolicies.hash(of: call, channelID: channelID) ?? random.next()
        let rewrites = routed.forwarding.rewritesAuthority
        if let cookie, let server {
            let session = Session(cookie, server, in: cluster)
            config.attributes = use.place(rewritingAuthority: rewrites, of: session)
            config.responseFilter = session
        } else {
            config.attributes = use.place(rewritingAuthority: rewrites)
        }
        config.cluster = use
        if !faults.isEmpty { config.filter = faultInjection(for: call, routed) }
        return config
    }

    /// The cookie of the call's session; nil without a session.
    private func sessionCookie(for call: CallHeaders, _ routed: RoutedCall) -> SessionCookie? {
        for filter in sessions {
            var cookie: SessionCookie?
            switch routed.override(of: filter.name) {
            case .statefulSession(let other)?: cookie = other
            case .disabled?: break
            case .fault?, nil:
                if !filter.isDisabled, case .statefulSession(let own) = filter.config {
                    cookie = own
                }
            }
            if let cookie, cookie.isSent(to: call.path) { return cookie }
        }
        return nil
    }

    private func faultInjection(for call: CallHeaders, _ routed: RoutedCall) -> FaultInjection? {
        let configs = faults.compactMap { filter -> FaultConfig? in
            switch routed.override(of: filter.name) {
            case .fault(let config)?: return config
            case .disabled?: return nil
            case .statefulSession?, nil: break
            }
            guard !filter.isDisabled, case .fault(let config) = filter.config else { return nil }
            return config
        }
        return FaultInjection(configs, call, random: random.below)
    }
}

extension Forwarding {
    /// Whether calls of the route can go to a cluster.
    fileprivate func has(_ cluster: ByteText) -> Bool {
        switch destination {
        case .cluster(let name): name == cluster
        case .weighted(let clusters): clusters.contains { $0.name == cluster }
        }
    }
}

extension PickerRandom {
    /// A number from 0 to below `bound`, which is above 0 and fits into 32 bits.
    func below(_ bound: UInt64) -> UInt64 { UInt64(next(below: Int(bound))) }
}
