import SwiftletBalancing
import SwiftletCore

/// Chooses the route of each call of a channel, and with it the cluster and the settings (A31).
struct MeshSelector: ConfigSelector {
    let listener: Listener
    let table: RouteTable
    private let faults: [Listener.Filter]
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
        guard let use = uses[routed.cluster] else {
            // Not reached: there is a use of each cluster of the routes.
            throw RPCError(.internal, "xds: the cluster '\(routed.cluster)' is not in use")
        }
        var config = CallConfig()
        config.method.timeout = routed.maxDuration(of: listener)
        config.method.retry = routed.forwarding.retry
        // A call without a hash goes to a random endpoint (A42).
        config.requestHash =
            routed.forwarding.hashPolicies.hash(of: call, channelID: channelID) ?? random.next()
        config.attributes = use.place(
            rewritingAuthority: routed.forwarding.rewritesAuthority)
        config.cluster = use
        if !faults.isEmpty { config.filter = faultInjection(for: call, routed) }
        return config
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

extension PickerRandom {
    /// A number from 0 to below `bound`, which is above 0 and fits into 32 bits.
    func below(_ bound: UInt64) -> UInt64 { UInt64(next(below: Int(bound))) }
}
