import SwiftletTransport

/// The addresses of an endpoint, the names that TLS checks for them, and the order in which they are tried.
struct SubchannelAddresses {
    private(set) var list: [SocketAddress]
    /// For an address without an entry, TLS checks the channel's name.
    private(set) var serverNames: [SocketAddress: ServerName]
    private var order = AddressOrder()

    init(_ endpoint: Endpoint) {
        list = endpoint.addresses.map(\.socketAddress)
        serverNames = endpoint.serverNames
    }
}

extension SubchannelAddresses {
    /// The addresses in the order of the next attempt.
    var ordered: [SocketAddress] { order.ordered(list) }

    mutating func learn(_ lesson: AddressOrder.Lesson) { order.learn(lesson) }

    /// Whether a connection to `address`, whose certificate was checked for `name`, may be used.
    func lists(_ address: SocketAddress, named name: ServerName?) -> Bool {
        list.contains(address) && serverNames[address] == name
    }

    /// Returns the addresses that stay, and whether there are others; nil if nothing changes. An address with
    /// another TLS name is a new one.
    mutating func replace(by endpoint: Endpoint) -> (kept: Set<SocketAddress>, hasNew: Bool)? {
        let former = self
        list = endpoint.addresses.map(\.socketAddress)
        serverNames = endpoint.serverNames
        guard list != former.list || serverNames != former.serverNames else { return nil }
        // A set, because a name may have thousands of addresses.
        let known = Set(former.list)
        let kept = list.filter {
            known.contains($0) && former.serverNames[$0] == serverNames[$0]
        }
        return (Set(kept), kept.count < list.count)
    }
}
