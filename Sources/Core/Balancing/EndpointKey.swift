import SwiftletTransport

/// Recognizes an endpoint in a later list: the same addresses in any order (A61), under the same
/// TLS name, with the same security, behind the same proxy.
package struct EndpointKey: Hashable, Sendable {
    /// Nearly every endpoint has one address, for which a set would be an allocation.
    private enum Addresses: Hashable, Sendable {
        case one(SocketAddress)
        case several(Set<SocketAddress>)
    }

    private let addresses: Addresses
    private let serverName: String?
    private let security: EndpointSecurity?
    private let proxy: ProxyServer?

    /// Nil for an endpoint without addresses.
    package init?(_ endpoint: Endpoint) {
        guard let first = endpoint.addresses.first?.socketAddress else { return nil }
        if endpoint.addresses.count == 1 {
            addresses = .one(first)
        } else {
            let all = Set(endpoint.addresses.map(\.socketAddress))
            addresses = all.count == 1 ? .one(first) : .several(all)
        }
        serverName = endpoint.attributes.serverName
        security = endpoint.attributes.security
        proxy = endpoint.attributes.proxy
    }
}
