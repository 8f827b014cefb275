import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown

/// The checked endpoints of a cluster.
struct Endpoints: Hashable, Sendable {
    struct Locality: Hashable, Sendable {
        let region: ByteText
        let zone: ByteText
        let subZone: ByteText
    }

    struct Group: Hashable, Sendable {
        let locality: Locality
        /// Above zero.
        let weight: UInt32
        let endpoints: [Endpoint]
    }

    struct Endpoint: Hashable, Sendable {
        /// At least one, the preferred one first.
        let addresses: [SocketAddress]
        /// Above zero.
        let weight: UInt32
        /// Exactly one of the states.
        let state: EndpointStates
        let hostName: ByteText
        /// What places the endpoint on a ring (A76); empty for its first address.
        let hashKey: ByteText
        /// The proxy in front of it, if the cluster uses such proxies (A86); nil without one.
        var proxy: ProxyServer?
    }

    struct Drop: Hashable, Sendable {
        let category: ByteText
        let millionths: UInt32
    }

    /// The localities of each priority, the preferred priority first.
    let priorities: [[Group]]
    /// In the order in which a call passes them.
    let drops: [Drop]
}

extension Endpoints {
    private static func millionths(
        of drop: Envoy.Endpoints.ClusterLoadAssignment.Policy.DropOverload,
        _ violations: inout Violations
    ) -> UInt32 {
        let field: StaticString = "drop_percentage"
        guard let share = drop.dropPercentage else {
            violations.add(field, "is required")
            return 0
        }
        return violations.millionths(field, share)
    }

    init(_ message: Envoy.Endpoints.ClusterLoadAssignment, _ violations: inout Violations) {
        drops = violations.within("policy") { violations in
            violations.each("drop_overloads", message.policy?.dropOverloads ?? []) {
                drop, violations in
                Drop(
                    category: violations.nonempty("category", drop.category),
                    millionths: Self.millionths(of: drop, &violations))
            }
        }
        var addresses: Set<SocketAddress> = []
        // Not an array: a priority can be 4,294,967,295.
        var groups: [UInt32: [Group]] = [:]
        var sums: [UInt32: UInt64] = [:]
        var places: [UInt32: Set<Locality>] = [:]
        for (index, message) in message.endpoints.enumerated() {
            guard let weight = message.loadBalancingWeight?.value, weight > 0 else { continue }
            let priority = message.priority
            violations.within("endpoints", index) { violations in
                guard let group = Group(message, weight: weight, &addresses, &violations) else {
                    return
                }
                if !places[priority, default: []].insert(group.locality).inserted {
                    violations.add("locality", "is repeated in priority \(priority)")
                }
                sums[priority, default: 0] += UInt64(weight)
                groups[priority, default: []].append(group)
            }
        }
        for (priority, sum) in sums where sum > UInt64(UInt32.max) {
            violations.add(
                "endpoints",
                "the sum of the weights in priority \(priority), \(sum), is above \(UInt32.max)")
        }
        let ordered = groups.keys.inOrder()
        if let last = ordered.last, UInt64(last) >= UInt64(ordered.count) {
            violations.add("endpoints", "a priority below \(last) has no locality")
        }
        priorities = ordered.compactMap { groups[$0] }
    }
}

extension Endpoints.Group {
    fileprivate init?(
        _ message: Envoy.Endpoints.LocalityLbEndpoints, weight: UInt32,
        _ addresses: inout Set<SocketAddress>, _ violations: inout Violations
    ) {
        guard let locality = message.locality else {
            violations.add("locality", "is required")
            return nil
        }
        let proxy = Endpoints.Endpoint.proxy(message.metadata, &violations)
        var sum: UInt64 = 0
        var endpoints: [Endpoints.Endpoint] = []
        for (index, message) in message.lbEndpoints.enumerated() {
            violations.within("lb_endpoints", index) { violations in
                guard var endpoint = Endpoints.Endpoint(message, &addresses, &violations) else {
                    return
                }
                endpoint.proxy = endpoint.proxy ?? proxy
                sum += UInt64(endpoint.weight)
                endpoints.append(endpoint)
            }
        }
        if sum > UInt64(UInt32.max) {
            violations.add("lb_endpoints", "the sum of the weights, \(sum), is above \(UInt32.max)")
        }
        self.init(
            locality: Endpoints.Locality(
                region: ByteText(locality.region), zone: ByteText(locality.zone),
                subZone: ByteText(locality.subZone)),
            weight: weight, endpoints: endpoints)
    }
}

extension Endpoints.Endpoint {
    /// Nil also, without a violation, for an endpoint that gets no calls.
    fileprivate init?(
        _ message: Envoy.Endpoints.LbEndpoint, _ known: inout Set<SocketAddress>,
        _ violations: inout Violations
    ) {
        switch message.healthStatus {
        case .unknown: state = .unknown
        case .healthy: state = .healthy
        case .draining: state = .draining
        default: return nil
        }
        weight = message.loadBalancingWeight?.value ?? 1
        if weight == 0 { violations.add("load_balancing_weight", "is 0") }
        guard case .endpoint(let endpoint)? = message.hostIdentifier else {
            violations.add("endpoint", "is required")
            return nil
        }
        hostName = ByteText(endpoint.hostname)
        let key = message.metadata?.filterMetadata["envoy.lb"]?["hash_key"]?.kind
        // Balancers compare it as a `String`.
        hashKey =
            if case .stringValue(let text)? = key { ByteText(WireText.bounded(text)) } else { "" }
        proxy = Self.proxy(message.metadata, &violations)
        let messages = [endpoint.address] + endpoint.additionalAddresses.map(\.address)
        addresses = messages.compactMap { message in
            guard let address = Self.address(message, &violations) else { return nil }
            if !known.insert(address).inserted {
                violations.add("address", "\(address) is repeated")
            }
            return address
        }
    }

    /// The proxy that the metadata names (A86). A value of another type does not count.
    fileprivate static func proxy(
        _ metadata: Envoy.Core.Metadata?, _ violations: inout Violations
    ) -> ProxyServer? {
        let key = "envoy.http11_proxy_transport_socket.proxy_address"
        let type = Envoy.Core.Address.self
        guard let any = metadata?.typedFilterMetadata[key], any.holds(type) else { return nil }
        return violations.within("metadata.proxy_address") { violations in
            guard let message = violations.decode(nil, any.value, as: type),
                let address = address(message, &violations)
            else { return nil }
            return try? ProxyServer("http://\(address)")
        }
    }

    private static func address(
        _ message: Envoy.Core.Address?, _ violations: inout Violations
    ) -> SocketAddress? {
        guard case .socketAddress(let address)? = message?.address else {
            violations.add("address", "is not a socket_address")
            return nil
        }
        guard case .portValue(let value)? = address.portSpecifier else {
            violations.add("address", "has no port_value")
            return nil
        }
        guard let port = violations.number("address.port_value", value, in: 0...65_535) else {
            return nil
        }
        // The longest IPv6 address with an interface.
        guard address.address.isVisibleASCII(upTo: 64),
            let parsed = SocketAddress(host: address.address, port: UInt16(port))
        else {
            violations.add("address", "'\(address.address.prefix(80))' is no IP address")
            return nil
        }
        return parsed
    }
}
