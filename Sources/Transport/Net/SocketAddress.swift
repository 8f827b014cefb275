import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// An address that a socket is bound to or connects to.
package enum SocketAddress: Hashable, Sendable {
    /// The bytes of an IPv6 address in network order.
    package typealias IPv6Bytes = SIMD16<UInt8>

    /// The address as a number. Its first byte is the most significant one.
    case ipv4(UInt32, port: UInt16)
    /// `scope` is the index of the interface for link-local addresses, and 0 otherwise.
    case ipv6(IPv6Bytes, port: UInt16, scope: UInt32 = 0)
    /// A file name. Empty for the unnamed end of a socket pair or of a client.
    case unix(path: String)
    /// A name without a file. Linux only.
    case unixAbstract(name: [UInt8])
    /// A port of a virtual machine or of its host. Linux only.
    case vsock(cid: UInt32, port: UInt32)
}

extension SocketAddress {
    /// Whether the peer is on this machine, so that no network is used.
    package var isOnThisMachine: Bool {
        switch self {
        case .ipv4(let number, _): number >> 24 == 127
        case .ipv6(let bytes, _, _):
            self == .ipv6Loopback(port: port ?? 0)
                || (bytes.lowHalf == .zero && bytes[8] == 0 && bytes[9] == 0
                    && bytes[10] == 0xff && bytes[11] == 0xff && bytes[12] == 127)
        case .unix, .unixAbstract, .vsock: true
        }
    }
}

// MARK: - Making

extension SocketAddress {
    package static func ipv4Loopback(port: UInt16) -> SocketAddress {
        .ipv4(0x7f00_0001, port: port)
    }

    package static func ipv6Loopback(port: UInt16) -> SocketAddress {
        var bytes = IPv6Bytes()
        bytes[15] = 1
        return .ipv6(bytes, port: port)
    }

    /// Parses a numeric address. Nil if `host` is a name. An IPv6 address may be in brackets and
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
            scope = Self.number(name[...]) ?? (unsafe if_nametoindex(name))
            guard scope != 0 else { return nil }
            text = text[..<percent]
        }
        guard let bytes = Self.parseIPv6(String(text)) else { return nil }
        self = .ipv6(bytes, port: port, scope: scope)
    }

    /// Parses a numeric address with a port: `127.0.0.1:80`, `[::1]:80`.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"),
            let port = Self.number(text[text.index(after: colon)...]).flatMap(UInt16.init(exactly:))
        else { return nil }
        let host = text[..<colon]
        // Without brackets, the port cannot be distinguished from the last group of the address.
        guard host.first == "[" || !host.contains(":") else { return nil }
        self.init(host: String(host), port: port)
    }

    /// Digits alone: the standard library's initialisers accept a sign.
    private static func number(_ text: Substring) -> UInt32? {
        text.utf8.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 } ? UInt32(text) : nil
    }

    private static func parseIPv4(_ text: String) -> UInt32? {
        var address = in_addr()
        // inet_pton writes exactly one in_addr, and only when it returns 1.
        guard !text.utf8.contains(0), unsafe inet_pton(AF_INET, text, &address) == 1 else {
            return nil
        }
        return UInt32(bigEndian: address.s_addr)
    }

    private static func parseIPv6(_ text: String) -> IPv6Bytes? {
        var bytes = IPv6Bytes()
        // inet_pton writes exactly 16 bytes, and only when it returns 1.
        guard !text.utf8.contains(0), unsafe inet_pton(AF_INET6, text, &bytes) == 1 else {
            return nil
        }
        return bytes
    }
}

// MARK: - Reading

extension SocketAddress {
    package enum Family: Equatable, Sendable { case ipv4, ipv6, unix, vsock }

    package var family: Family {
        switch self {
        case .ipv4: .ipv4
        case .ipv6: .ipv6
        case .unix, .unixAbstract: .unix
        case .vsock: .vsock
        }
    }

    package var isTCP: Bool { port != nil }

    /// The port of TCP; nil for other addresses.
    package var port: UInt16? {
        switch self {
        case .ipv4(_, let port), .ipv6(_, let port, _): port
        case .unix, .unixAbstract, .vsock: nil
        }
    }

    /// The same address with another port. An address without a TCP port is returned unchanged.
    package func with(port: UInt16) -> SocketAddress {
        switch self {
        case .ipv4(let number, _): .ipv4(number, port: port)
        case .ipv6(let bytes, _, let scope): .ipv6(bytes, port: port, scope: scope)
        case .unix, .unixAbstract, .vsock: self
        }
    }
}

extension SocketAddress: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ipv4(let number, let port):
            return
                "\(number >> 24).\(number >> 16 & 255).\(number >> 8 & 255).\(number & 255):\(port)"
        case .ipv6(let bytes, let port, let scope):
            let zone = scope == 0 ? "" : "%\(scope)"
            return "[\(Self.text(of: bytes))\(zone)]:\(port)"
        case .unix(let path):
            return path.isEmpty ? "unix:(unnamed)" : "unix:\(path)"
        case .unixAbstract(let name):
            return "unix-abstract:\(String(decoding: name, as: UTF8.self))"
        case .vsock(let cid, let port): return "vsock:\(cid):\(port)"
        }
    }

    private static func text(of bytes: IPv6Bytes) -> String {
        var bytes = bytes
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            // INET6_ADDRSTRLEN is 46. inet_ntop ends the text with a zero.
            guard let base = buffer.baseAddress,
                let text = unsafe inet_ntop(AF_INET6, &bytes, base, socklen_t(buffer.count))
            else { return "?" }
            return unsafe String(cString: text)
        }
    }
}
