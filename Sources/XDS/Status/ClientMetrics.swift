import SwiftletCore

/// Reports what changes in a client of control planes (A78). A target whose channel is not measured has none.
struct ClientMetrics: Sendable {
    private typealias Resources = ControlPlaneChange.Resources

    private let meter: any ChannelMeter
    /// What was reported: the servers with streams, and whether these work.
    private var servers: [XDS.Bootstrap.Server: Bool] = [:]
    private var resources: [ControlPlaneChange.Resources: Int] = [:]

    /// Nil if the meter does not want them.
    init?(_ meter: (any ChannelMeter)?) {
        guard let meter, meter.measuresControlPlane else { return nil }
        self.meter = meter
    }
}

extension ClientMetrics {
    /// Reports the changes since the last call. Walks all resources.
    mutating func update(_ client: ADSClient) {
        var resources: [Resources: Int] = [:]
        for (key, resource) in client.resources {
            // The proposal's name for no authority.
            let authority = key.name.authority?.string ?? "#old"
            resources[
                Resources(
                    authority: authority, type: key.type.messageName, state: resource.cacheState),
                default: 0] += 1
        }
        update(client.streams.mapValues { $0.failure == nil }, resources)
    }

    /// The client ends: nothing is connected, and nothing is kept.
    mutating func end() { update([:], [:]) }

    func received(_ counts: ADSClient.UpdateCounts) {
        meter.record(
            .updates(
                server: counts.server.target, resourceType: counts.type.messageName,
                valid: counts.valid, invalid: counts.invalid))
    }

    private mutating func update(
        _ servers: [XDS.Bootstrap.Server: Bool], _ resources: [Resources: Int]
    ) {
        for (server, works) in servers {
            // A stream works until it fails.
            let worked = self.servers[server]
            if works != (worked ?? false) {
                meter.record(.connected(server: server.target, by: works ? 1 : -1))
            }
            if !works, worked ?? true { meter.record(.serverFailed(server.target)) }
        }
        for (server, worked) in self.servers where worked && servers[server] == nil {
            meter.record(.connected(server: server.target, by: -1))
        }
        for (key, count) in resources where count != self.resources[key] {
            meter.record(.resources(key, by: count - (self.resources[key] ?? 0)))
        }
        for (key, count) in self.resources where resources[key] == nil {
            meter.record(.resources(key, by: -count))
        }
        (self.servers, self.resources) = (servers, resources)
    }
}

extension WatchedResource {
    /// The name of the state in metrics (A78, A88).
    fileprivate var cacheState: String {
        let isCached = value != nil
        return switch state {
        case .requested: "requested"
        case .received: "acked"
        case .absent: isCached ? "does_not_exist_but_cached" : "does_not_exist"
        case .rejected: isCached ? "nacked_but_cached" : "nacked"
        case .failed: isCached ? "received_error_but_cached" : "received_error"
        case .timedOut: "timeout"
        }
    }
}
