import SwiftletTransport

/// What a connection needs to know of the server at an address: its name for TLS, and the way to it.
struct ServerName: Hashable, Sendable {
    /// The name that its certificate must be valid for; nil means the name of the target.
    var name: String?
    /// How its connections are secured; nil means as the channel's.
    var security: EndpointSecurity?
    /// The proxy in front of it; nil for that of the channel.
    var proxy: ProxyServer?
}

/// The names of an endpoint that has addresses of several endpoints.
private enum ServerNames: EndpointAttributeKey {
    typealias Value = [SocketAddress: ServerName]
}

extension Endpoint {
    /// What a connection needs to know of each address. An address without an entry is treated as the target is.
    var serverNames: [SocketAddress: ServerName] {
        var names: [SocketAddress: ServerName] = [:]
        for address in addresses.map(\.socketAddress) {
            let name = attributes[ServerNames.self].map { $0[address] } ?? attributes.ownServerName
            if let name { names[address] = name }
        }
        return names
    }

    /// Keeps the names of `endpoints`, whose addresses this endpoint has. For an address of several endpoints, the
    /// first one counts.
    mutating func keepServerNames(of endpoints: [Endpoint]) {
        let own = attributes.ownServerName
        guard endpoints.contains(where: { $0.attributes.ownServerName != own }) else { return }
        var names: [SocketAddress: ServerName] = [:]
        for endpoint in endpoints.reversed() {
            for address in endpoint.addresses {
                names[address.socketAddress] = endpoint.attributes.ownServerName
            }
        }
        attributes[ServerNames.self] = names
    }
}

extension EndpointAttributes {
    /// Nil for an endpoint that is treated as the target is.
    @inline(never)  // Has many callers.
    fileprivate var ownServerName: ServerName? {
        let name = ServerName(name: serverName, security: security, proxy: proxy)
        return name == ServerName() ? nil : name
    }
}

private enum ProxyKey: EndpointAttributeKey {
    typealias Value = ProxyServer
}

extension EndpointAttributes {
    /// The proxy that is asked for connections to the addresses of the endpoint. Nil, the default, means that of the
    /// channel.
    package var proxy: ProxyServer? {
        get { self[ProxyKey.self] }
        set { self[ProxyKey.self] = newValue }
    }
}
