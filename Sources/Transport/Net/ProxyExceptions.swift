/// The hosts that are reached without a proxy: names, suffixes of names, addresses and CIDR blocks,
/// separated by commas or spaces. `*` matches every host.
package struct ProxyExceptions {
    private let entries: [Substring]

    package init(_ text: String) {
        entries = text.split { $0 == "," || $0 == " " }
    }

    package func contains(_ host: String) -> Bool {
        let name = host.lowercased()
        let address = SocketAddress(host: host, port: 0)
        return entries.contains { entry in
            if entry == "*" { return true }
            if let address, let block = AddressBlock(entry) { return block.contains(address) }
            // `example.com`, `.example.com` and `*.example.com` all match `example.com` and its
            // subdomains. gRPC's mapper compares suffixes, too.
            let suffix = entry.lowercased().drop { $0 == "*" }
            guard address == nil, !suffix.isEmpty else { return name == entry.lowercased() }
            if suffix.hasPrefix(".") { return name.hasSuffix(suffix) || name == suffix.dropFirst() }
            return name == suffix || name.hasSuffix("." + suffix)
        }
    }
}

/// Addresses that begin with the same bits, such as `10.0.0.0/8`. A block without a length is one address.
private struct AddressBlock {
    private let bytes: [UInt8]
    private let bitCount: Int

    init?(_ text: Substring) {
        let parts = text.split(separator: "/", maxSplits: 1)
        guard let first = parts.first, let address = SocketAddress(host: String(first), port: 0),
            let bytes = address.hostBytes
        else { return nil }
        self.bytes = bytes
        guard parts.count == 2 else {
            bitCount = bytes.count * 8
            return
        }
        guard let count = Int(parts[1]), (0...bytes.count * 8).contains(count) else { return nil }
        bitCount = count
    }

    func contains(_ address: SocketAddress) -> Bool {
        guard let others = address.hostBytes, others.count == bytes.count else { return false }
        return (0..<bitCount).allSatisfy { bit in
            let mask = UInt8(0x80) >> UInt8(bit % 8)
            return bytes[bit / 8] & mask == others[bit / 8] & mask
        }
    }
}

extension SocketAddress {
    /// The address of the host, in network byte order; nil for a local socket.
    fileprivate var hostBytes: [UInt8]? {
        switch self {
        case .ipv4(let number, _):
            (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
        case .ipv6(let bytes, _, _): (0..<16).map { bytes[$0] }
        case .unix, .unixAbstract, .vsock: nil
        }
    }
}
