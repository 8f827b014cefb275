import SwiftletTransport

/// Where a channel leads, parsed from gRPC's notation for names.
///
/// A name or an address without a port stands for port 443, with TLS and without.
public struct Target: Hashable, Sendable {
    /// What there is to do to get addresses.
    enum Resolution: Hashable, Sendable {
        case addresses([SocketAddress])
        case name(host: String, port: UInt16)
    }

    /// As it was written.
    public let text: String
    let resolution: Resolution
    /// What requests are addressed to unless the channel says otherwise.
    let defaultAuthority: String
    /// The name or address that a certificate must be for.
    let host: String

    /// The port of a target that names none.
    static let defaultPort: UInt16 = 443

    /// Parses `host:port`, `dns:///host:port`, `ipv4:1.2.3.4:80,…`, `ipv6:[::1]:80,…`,
    /// `unix:path`, `unix:///path` or `unix-abstract:name`.
    public init(_ text: String) throws(RPCError) {
        guard !text.isEmpty else { throw Self.malformed(text, "it is empty") }
        self.text = text
        if let name = text.after("unix-abstract:") {
            try Self.checkLocalName(name, "name", of: text)
            resolution = .addresses([.unixAbstract(name: Array(name.utf8))])
            (defaultAuthority, host) = ("localhost", "localhost")
        } else if let rest = text.after("unix:") {
            let path = rest.after("//") ?? rest
            guard path == rest || path.hasPrefix("/") else {
                throw Self.malformed(text, "a path on another host; write unix:///path")
            }
            try Self.checkLocalName(path, "path", of: text)
            guard path.utf8.last != UInt8(ascii: "/") else {
                throw Self.malformed(text, "the path names no file")
            }
            resolution = .addresses([.unix(path: path)])
            (defaultAuthority, host) = ("localhost", "localhost")
        } else if let list = text.after("ipv4:") {
            (resolution, host, defaultAuthority) = try Self.literals(list, .ipv4, of: text)
        } else if let list = text.after("ipv6:") {
            (resolution, host, defaultAuthority) = try Self.literals(list, .ipv6, of: text)
        } else {
            let name = try Self.dnsName(text)
            guard let (host, port) = Self.split(name) else {
                throw Self.malformed(text, "it is not of the form host:port")
            }
            self.host = host
            defaultAuthority = Self.authority(host, port)
            resolution =
                SocketAddress(host: host, port: port ?? Self.defaultPort).map { .addresses([$0]) }
                ?? .name(host: host, port: port ?? Self.defaultPort)
        }
    }
}

extension Target {
    /// No network lies between: its addresses are this machine's.
    var isLocal: Bool {
        switch resolution {
        case .addresses(let addresses): addresses.allSatisfy(\.isOnThisMachine)
        case .name(let host, _): host == "localhost"
        }
    }
}

extension Target: CustomStringConvertible {
    public var description: String { text }
}

// MARK: - Parsing

extension Target {
    private static func malformed(_ text: String, _ reason: String) -> RPCError {
        .refused(.invalidArgument, "the target '\(text)' is malformed: \(reason)")
    }

    /// `name` of `name`, `dns:name`, `dns:///name`. A name server of one's own
    /// (`dns://server/name`) is refused: the system's resolver is what is asked.
    private static func dnsName(_ text: String) throws(RPCError) -> String {
        if let rest = text.after("dns:") {
            guard let path = rest.after("//") else { return rest }
            guard let name = path.after("/") else {
                throw malformed(text, "a name server cannot be chosen; write dns:///name")
            }
            return name
        }
        if let scheme = text.schemeBeforeSlashes {
            throw malformed(text, "the scheme '\(scheme)' is not known")
        }
        return text
    }

    /// Addresses of one family, separated by commas; the first is what requests are addressed to.
    private static func literals(
        _ list: String, _ family: SocketAddress.Family, of text: String
    ) throws(RPCError) -> (Resolution, host: String, authority: String) {
        var addresses: [SocketAddress] = []
        var first: (host: String, authority: String)?
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let (host, port) = split(String(part)),
                let address = SocketAddress(host: host, port: port ?? defaultPort),
                address.family == family
            else {
                let version = family == .ipv4 ? 4 : 6
                throw malformed(text, "'\(part)' is not an IPv\(version) address with a port")
            }
            addresses.append(address)
            if first == nil { first = (host, authority(host, port)) }
        }
        guard let first else { throw malformed(text, "it names no address") }
        return (.addresses(addresses), first.host, first.authority)
    }

    private static func checkLocalName(
        _ name: String, _ what: String, of text: String
    ) throws(RPCError) {
        guard !name.isEmpty else { throw malformed(text, "the \(what) is empty") }
        guard !name.utf8.contains(0) else { throw malformed(text, "the \(what) has a zero in it") }
        guard name.utf8.count < SocketAddress.nameCapacity else {
            throw malformed(
                text,
                "the \(what) is longer than the \(SocketAddress.nameCapacity - 1) octets "
                    + "that the system allows")
        }
    }

    /// RFC 3986 §3.2.2: an IPv6 address stands in brackets, and its zone means nothing to others.
    private static func authority(_ host: String, _ port: UInt16?) -> String {
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        let name = isIPv6 ? "[\(host.prefix { $0 != "%" })]" : host
        return port.map { "\(name):\($0)" } ?? name
    }

    /// `host`, `host:port`, `[v6]`, `[v6]:port`, or a bare IPv6 address.
    static func split(_ name: String) -> (host: String, port: UInt16?)? {
        if let rest = name.after("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let host = String(rest[..<end])
            guard isIPv6(host) else { return nil }
            let tail = String(rest[rest.index(after: end)...])
            if tail.isEmpty { return (host, nil) }
            guard let digits = tail.after(":"), let port = port(digits) else { return nil }
            return (host, port)
        }
        // By octets: a combining mark would hide the colon as a character.
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return isHost(name) ? (name, nil) : nil
        }
        guard let host = String(name.utf8[..<colon]),
            let digits = String(name.utf8[name.utf8.index(after: colon)...]),
            isHost(host), let port = port(digits)
        else { return isIPv6(name) ? (name, nil) : nil }
        return (host, port)
    }

    private static func isIPv6(_ text: String) -> Bool {
        SocketAddress(host: text, port: 0)?.family == .ipv6 && !text.hasPrefix("[")
    }

    /// A name or an IPv4 address: printable, and nothing that means something in an authority.
    private static func isHost(_ text: String) -> Bool {
        let special = "/?#@[]%\\,".utf8
        return !text.isEmpty
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !special.contains($0) }
    }

    /// Digits alone: Swift's integers would take a sign as well.
    private static func port(_ digits: String) -> UInt16? {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt16(digits)
    }
}

extension String {
    fileprivate func after(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }

    /// `xds` of `xds:///name`; nil for `localhost:50051`.
    fileprivate var schemeBeforeSlashes: String? {
        guard let colon = firstIndex(of: ":"), self[index(after: colon)...].hasPrefix("//") else {
            return nil
        }
        return String(self[..<colon])
    }
}
