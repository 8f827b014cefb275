import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Where a socket is bound or connects to.
package enum SocketAddress: Hashable, Sendable {
    /// The octets of an IPv6 address, in the order in which they travel.
    package typealias IPv6Octets = SIMD16<UInt8>

    /// The number is the address, its first octet the most significant.
    case ipv4(UInt32, port: UInt16)
    /// `scope` is the index of the interface, for link-local addresses; otherwise 0.
    case ipv6(IPv6Octets, port: UInt16, scope: UInt32 = 0)
    /// A file name; empty for the unnamed end of a socket pair or of a client.
    case unix(path: String)
    /// A name without a file, known to Linux only.
    case unixAbstract(name: [UInt8])
}

extension SocketAddress {
    /// Whether whoever is there is on this machine, and no network lies between.
    package var isOnThisMachine: Bool {
        switch self {
        case .ipv4(let number, _): number >> 24 == 127
        case .ipv6(let octets, _, _):
            self == .ipv6Loopback(port: port ?? 0)
                || (octets.lowHalf == .zero && octets[8] == 0 && octets[9] == 0
                    && octets[10] == 0xff && octets[11] == 0xff && octets[12] == 127)
        case .unix, .unixAbstract: true
        }
    }
}

// MARK: - Making

extension SocketAddress {
    package static func ipv4Loopback(port: UInt16) -> SocketAddress {
        .ipv4(0x7f00_0001, port: port)
    }

    package static func ipv6Loopback(port: UInt16) -> SocketAddress {
        var octets = IPv6Octets()
        octets[15] = 1
        return .ipv6(octets, port: port)
    }

    /// An address in digits; nil when `host` is a name. An IPv6 address may stand in brackets and
    /// may name its interface (`fe80::1%eth0`, `fe80::1%2`).
    package init?(host: String, port: UInt16) {
        if let number = Self.parseIPv4(host) {
            self = .ipv4(number, port: port)
            return
        }
        var text = host[...]
        if text.first == "[" {
            guard text.last == "]" else { return nil }
            text = text.dropFirst().dropLast()
        }
        var scope: UInt32 = 0
        if let percent = text.firstIndex(of: "%") {
            let name = String(text[text.index(after: percent)...])
            scope = UInt32(name) ?? (unsafe if_nametoindex(name))
            guard scope != 0 else { return nil }
            text = text[..<percent]
        }
        guard let octets = Self.parseIPv6(String(text)) else { return nil }
        self = .ipv6(octets, port: port, scope: scope)
    }

    /// An address in digits with its port: `127.0.0.1:80`, `[::1]:80`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon]
        // Without brackets nobody could tell the port from the address's last group.
        guard host.first == "[" || !host.contains(":") else { return nil }
        self.init(host: String(host), port: port)
    }

    private static func parseIPv4(_ text: String) -> UInt32? {
        var address = in_addr()
        // inet_pton writes exactly one in_addr, and only when it returns 1.
        guard !text.utf8.contains(0), unsafe inet_pton(AF_INET, text, &address) == 1 else {
            return nil
        }
        return UInt32(bigEndian: address.s_addr)
    }

    private static func parseIPv6(_ text: String) -> IPv6Octets? {
        var octets = IPv6Octets()
        // inet_pton writes exactly the sixteen octets, and only when it returns 1.
        guard !text.utf8.contains(0), unsafe inet_pton(AF_INET6, text, &octets) == 1 else {
            return nil
        }
        return octets
    }
}

// MARK: - Looking at

extension SocketAddress {
    package enum Family: Hashable, Sendable { case ipv4, ipv6, unix }

    package var family: Family {
        switch self {
        case .ipv4: .ipv4
        case .ipv6: .ipv6
        case .unix, .unixAbstract: .unix
        }
    }

    /// Nil for Unix-domain addresses.
    package var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port, _): port
        case .unix, .unixAbstract: nil
        }
    }

    /// The same address with another port; a Unix-domain address as it is.
    package func with(port: UInt16) -> SocketAddress {
        switch self {
        case .ipv4(let number, _): .ipv4(number, port: port)
        case .ipv6(let octets, _, let scope): .ipv6(octets, port: port, scope: scope)
        case .unix, .unixAbstract: self
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ipv4(let number, let port):
            return
                "\(number >> 24).\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255):\(port)"
        case .ipv6(let octets, let port, let scope):
            let zone = scope == 0 ? "" : "%\(scope)"
            return "[\(Self.text(of: octets))\(zone)]:\(port)"
        case .unix(let path):
            return path.isEmpty ? "unix:(unnamed)" : "unix:\(path)"
        case .unixAbstract(let name):
            return "unix-abstract:\(String(decoding: name, as: UTF8.self))"
        }
    }

    private static func text(of octets: IPv6Octets) -> String {
        var octets = octets
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            // INET6_ADDRSTRLEN is 46; inet_ntop ends what it writes with a zero.
            guard let base = buffer.baseAddress,
                let text = unsafe inet_ntop(AF_INET6, &octets, base, socklen_t(buffer.count))
            else { return "?" }
            return unsafe String(cString: text)
        }
    }
}
