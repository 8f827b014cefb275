public import SwiftletCore

/// Sends the calls with the same value of a header to the same endpoint, as long as the endpoints
/// stay the same: the policy `ring_hash_experimental` (A42, A61, A76).
///
/// Endpoints are connected when a call needs them.
public struct RingHash: BalancingPolicy {
    /// The most entries of a ring, even if the configuration allows more: it limits the memory that
    /// a resolver can make a client use.
    public static let ringSizeCap = 4_096

    /// The fewest entries of the ring; 1,024 by default.
    public var minRingSize: Int
    /// The most entries of the ring; 4,096 by default.
    public var maxRingSize: Int
    /// The name of the metadata whose value chooses the endpoint. A call without this metadata gets
    /// a random endpoint. Empty, the default, when a resolver such as `xds` computes the hash of
    /// each call.
    public var requestHashHeader: String

    /// Makes the policy.
    public init(
        requestHashHeader: String = "", minRingSize: Int = 1_024, maxRingSize: Int = 4_096
    ) {
        self.requestHashHeader = requestHashHeader
        self.minRingSize = minRingSize
        self.maxRingSize = maxRingSize
    }

    public var name: String { "ring_hash_experimental" }

    public func makeBalancer() -> any Balancer { RingHashBalancer() }
}

struct RingHashBalancer: Balancer {
    private var endpoints = EndpointList<Void>()
    private var ring = HashRing([], minSize: 1, maxSize: 1)
    private var policy = RingHash()
    private var random: PickerRandom?

    mutating func update(
        _ update: BalancerUpdate, _ context: inout BalancerContext
    ) throws(RPCError) {
        if let policy = update.policy as? RingHash { self.policy = policy }
        // Metadata has its names in lower case.
        policy.requestHashHeader = policy.requestHashHeader.lowercased()
        endpoints.update(update.endpoints, &context) { _ in }
        guard !endpoints.isEmpty else {
            context.reportFailure(.noAddresses)
            throw .noAddresses
        }
        let cap = RingHash.ringSizeCap
        ring = HashRing(
            endpoints.members.map { ($0.endpoint.ringKey, $0.weight) },
            minSize: min(max(policy.minRingSize, 1), cap),
            maxSize: min(max(policy.maxRingSize, 1), cap))
        report(&context)
    }

    mutating func resolverFailed(_ error: RPCError, _ context: inout BalancerContext) {
        if endpoints.isEmpty { context.reportFailure(error) }
    }

    mutating func subchannel(
        _ subchannel: Subchannel, changedTo state: SubchannelState,
        _ context: inout BalancerContext
    ) {
        guard let change = endpoints.subchannel(subchannel, changedTo: state) else { return }
        let lostConnection = change.before == .ready && change.after != .ready
        if lostConnection || state.connectivity == .transientFailure { context.requestResolution() }
        if state.connectivity == .idle, change.after == .transientFailure {
            context.connect(subchannel)
        }
        report(&context)
    }

    mutating func exitIdle(_ context: inout BalancerContext) { connectOne(&context) }

    mutating func close(_ context: inout BalancerContext) { endpoints.removeAll(&context) }
}

extension RingHashBalancer {
    /// The aggregation rules of A42. Without a READY endpoint, two failed endpoints are enough for
    /// TRANSIENT_FAILURE, so that a parent such as `priority` changes to another child early.
    private var connectivity: ConnectivityState {
        let failedCount = endpoints.count(of: .transientFailure)
        if endpoints.count(of: .ready) > 0 { return .ready }
        if failedCount >= 2 { return .transientFailure }
        if endpoints.count(of: .connecting) > 0 { return .connecting }
        if failedCount == 1, endpoints.members.count > 1 { return .connecting }
        if endpoints.count(of: .idle) > 0 { return .idle }
        return .transientFailure
    }

    private mutating func report(_ context: inout BalancerContext) {
        let connectivity = connectivity
        // Without calls, only this balancer itself can find an endpoint that can be reached.
        if connectivity == .connecting || connectivity == .transientFailure {
            if endpoints.count(of: .connecting) == 0 { connectOne(&context) }
        }
        let random = random ?? PickerRandom(seed: context.randomNumber())
        self.random = random
        context.report(
            connectivity,
            RingHashPicker(
                ring: ring, endpoints: endpoints.members, header: policy.requestHashHeader,
                isConnecting: endpoints.count(of: .connecting) > 0, random: random))
    }

    private func connectOne(_ context: inout BalancerContext) {
        guard endpoints.count(of: .idle) > 0,
            let idle = endpoints.members.first(where: { $0.connectivity == .idle })
        else { return }
        context.connect(idle.subchannel)
    }
}

extension Endpoint {
    /// The key that places the endpoint on the ring: its hash key, or else its first address (A76).
    fileprivate var ringKey: String {
        if let key = attributes.hashKey, !key.isEmpty { return key }
        return addresses.first?.description ?? ""
    }
}
