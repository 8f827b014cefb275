import SwiftletTransport

/// What TLS needs to know of the server at an address.
struct ServerName: Hashable, Sendable {
    /// The name that its certificate must be valid for; nil means the name of the target.
    var name: String?
    /// How its connections are secured; nil means as the channel's.
    var security: EndpointSecurity?
}

/// The names of an endpoint that has addresses of several endpoints.
private enum ServerNames: EndpointAttributeKey {
    typealias Value = [ServerAddress: ServerName]
}

extension Endpoint {
    /// What TLS needs to know of each address. An address without an entry is treated as the target is.
    var serverNames: [SocketAddress: ServerName] {
        var names: [SocketAddress: ServerName] = [:]
        for address in addresses {
            let name = attributes[ServerNames.self].map { $0[address] } ?? attributes.ownServerName
            if let name { names[address.socketAddress] = name }
        }
        return names
    }

    /// Keeps the names of `endpoints`, whose addresses this endpoint has. For an address of several endpoints, the
    /// first one counts.
    mutating func keepServerNames(of endpoints: [Endpoint]) {
        let own = attributes.ownServerName
        guard endpoints.contains(where: { $0.attributes.ownServerName != own }) else { return }
        var names: [ServerAddress: ServerName] = [:]
        for endpoint in endpoints.reversed() {
            for address in endpoint.addresses { names[address] = endpoint.attributes.ownServerName }
        }
        attributes[ServerNames.self] = names
    }
}

extension EndpointAttributes {
    /// Nil for an endpoint that is treated as the target is.
    fileprivate var ownServerName: ServerName? {
        let name = ServerName(name: serverName, security: security)
        return name == ServerName() ? nil : name
    }
}
