import SwiftletTransport

/// The TLS names of an endpoint that has addresses of several endpoints.
private enum ServerNames: EndpointAttributeKey {
    typealias Value = [ServerAddress: String]
}

extension Endpoint {
    /// The names that certificates must be valid for, by address. An address without an entry is checked
    /// against the name of the target.
    var serverNames: [SocketAddress: String] {
        var names: [SocketAddress: String] = [:]
        for address in addresses {
            let name = attributes[ServerNames.self].map { $0[address] } ?? attributes.serverName
            if let name { names[address.socketAddress] = name }
        }
        return names
    }

    /// Keeps the TLS names of `endpoints`, whose addresses this endpoint has. For an address of several
    /// endpoints, the first one counts.
    mutating func keepServerNames(of endpoints: [Endpoint]) {
        guard endpoints.contains(where: { $0.attributes.serverName != attributes.serverName })
        else { return }
        var names: [ServerAddress: String] = [:]
        for endpoint in endpoints.reversed() {
            for address in endpoint.addresses { names[address] = endpoint.attributes.serverName }
        }
        attributes[ServerNames.self] = names
    }
}
