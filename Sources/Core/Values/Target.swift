import SwiftletTransport

/// The name or the addresses that a channel connects to, parsed from gRPC's target syntax.
///
/// If a name or an address has no port, the port is 443, with and without TLS.
public struct Target: Hashable, Sendable {
    /// How the addresses of the target are obtained.
    enum Resolution: Hashable, Sendable {
        case addresses([SocketAddress])
        case name(host: String, port: UInt16)
        /// A resolver that the program has registered for the scheme.
        case registered(scheme: String)
    }

    /// The target as it was written.
    public let text: String
    let resolution: Resolution
    /// The `:authority` of requests, unless a channel argument or the credentials set another one.
    package let defaultAuthority: String
    /// The name or address that a certificate must be valid for.
    let host: String

    /// The port of a target without a port.
    static let defaultPort: UInt16 = 443

    /// The text after the scheme and the authority of the URI: `shop/cart` of `etcd:///shop/cart`
    /// and of `etcd:shop/cart`. For resolvers that the program registers.
    public var path: String { text.scheme.map { Self.path(of: text, after: $0) } ?? text }

    /// The authority of the URI: `10.0.0.1` of `etcd://10.0.0.1/shop`. Empty if there is none.
    public var uriAuthority: String {
        guard let scheme = text.scheme,
            let rest = String(text.dropFirst(scheme.count + 1)).after("//")
        else { return "" }
        return String(rest.prefix { $0 != "/" })
    }

    /// Parses `host:port`, `dns:///host:port`, `ipv4:1.2.3.4:80,…`, `ipv6:[::1]:80,…`,
    /// `unix:path`, `unix:///path`, `unix-abstract:name` or `vsock:cid:port`.
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
        } else if let rest = text.after("vsock:") {
            resolution = .addresses([try Self.vsockAddress(rest, of: text)])
            (defaultAuthority, host) = ("localhost", "localhost")
        } else if let list = text.after("ipv4:") {
            (resolution, host, defaultAuthority) = try Self.literals(list, .ipv4, of: text)
        } else if let list = text.after("ipv6:") {
            (resolution, host, defaultAuthority) = try Self.literals(list, .ipv6, of: text)
        } else if let scheme = text.scheme, Resolvers.factory(for: scheme) != nil {
            let path = Self.path(of: text, after: scheme)
            resolution = .registered(scheme: scheme)
            defaultAuthority = PercentCoding.encode(authority: PercentCoding.decode(path))
            host = Self.split(path)?.host ?? path
        } else {
            let name = try Self.dnsName(text)
            guard let (host, port) = Self.split(name) else {
                throw Self.malformed(text, Self.reason(name))
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
    /// The schemes that need no registration.
    static let builtInSchemes: Set<String> = [
        "dns", "ipv4", "ipv6", "unix", "unix-abstract", "vsock",
    ]

    /// The schemes that a program must not register, because they have a meaning in other gRPC
    /// clients or in URLs.
    static let reservedSchemes: Set<String> = ["http", "https", "xds"]

    /// RFC 3986 §3.1: a letter, then letters, digits, "+", "-" and ".".
    static func isScheme(_ text: String) -> Bool {
        guard let first = text.utf8.first, (0x61...0x7a).contains(first) else { return false }
        return text.utf8.allSatisfy {
            (0x61...0x7a).contains($0) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0)
        }
    }

    fileprivate static func path(of text: String, after scheme: String) -> String {
        let rest = String(text.dropFirst(scheme.count + 1))
        guard let hierarchy = rest.after("//") else { return rest }
        return String(hierarchy.drop { $0 != "/" }.dropFirst())
    }

    /// The text with its scheme; `dns:///` if it has none (proposal A66).
    package var canonicalText: String {
        if case .registered = resolution { return text }
        let hasScheme = Self.builtInSchemes.contains { text.hasPrefix("\($0):") }
        return hasScheme ? text : "dns:///\(text)"
    }

    /// Whether the target is on this machine. False for a target of a registered resolver.
    package var isLocal: Bool {
        switch resolution {
        case .registered: false
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
        .refused(.invalidArgument, "the target '\(text.withoutLogin)' is malformed: \(reason)")
    }

    /// The error of a target whose scheme is not registered.
    static func unknown(_ scheme: String, of text: String) -> RPCError {
        guard scheme.lowercased() == "xds" else {
            return malformed(
                text, "the scheme '\(scheme)' is not known (Resolvers.register adds schemes)")
        }
        return .refused(
            .invalidArgument,
            """
            the target '\(text.withoutLogin)' needs a control plane: add 'import SwiftletXDS', and call \
            'XDS.enable()' when the program starts
            """)
    }

    /// Returns `name` for `name`, `dns:name` and `dns:///name`. Throws for a target with a name
    /// server (`dns://server/name`), because the system's resolver looks up names.
    private static func dnsName(_ text: String) throws(RPCError) -> String {
        if let rest = text.after("dns:") {
            guard let path = rest.after("//") else { return rest }
            guard let name = path.after("/") else {
                throw malformed(text, "a name server cannot be chosen; write dns:///name")
            }
            return name
        }
        if let scheme = text.schemeBeforeSlashes { throw unknown(scheme, of: text) }
        return text
    }

    /// Addresses of one family, separated by commas. The first one is the authority of requests.
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
                throw malformed(
                    text,
                    "'\(String(part).withoutLogin)' is not an IPv\(version) address with a port")
            }
            addresses.append(address)
            if first == nil { first = (host, authority(host, port)) }
        }
        guard let first else { throw malformed(text, "it names no address") }
        return (.addresses(addresses), first.host, first.authority)
    }

    /// `cid:port`, both of 32 bits.
    private static func vsockAddress(
        _ text: String, of target: String
    ) throws(RPCError) -> SocketAddress {
        #if os(Linux)
            let parts = text.utf8.split(
                separator: UInt8(ascii: ":"), omittingEmptySubsequences: false
            )
            .map { number(Substring($0)) as UInt32? }
            guard parts.count == 2, let cid = parts[0], let port = parts[1] else {
                throw malformed(
                    target, "expected vsock:cid:port with two numbers from 0 to 4294967295")
            }
            return .vsock(cid: cid, port: port)
        #else
            throw .refused(
                .invalidArgument,
                "the target '\(target)' is not supported: vsock is available only on Linux")
        #endif
    }

    /// Only digits are allowed: Swift's integer parser would also accept a sign.
    private static func number<Number: FixedWidthInteger>(_ digits: Substring) -> Number? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Number(digits) : nil
    }

    private static func checkLocalName(
        _ name: String, _ what: String, of text: String
    ) throws(RPCError) {
        guard !name.isEmpty else { throw malformed(text, "the \(what) is empty") }
        guard !name.utf8.contains(0) else {
            throw malformed(text, "the \(what) contains a zero byte")
        }
        guard name.utf8.count < SocketAddress.nameCapacity else {
            throw malformed(
                text,
                "the \(what) is longer than the \(SocketAddress.nameCapacity - 1) bytes "
                    + "that the system allows")
        }
    }

    /// RFC 3986 §3.2.2: an IPv6 address is written in brackets. Its zone is removed, because it has
    /// a meaning only on this machine.
    private static func authority(_ host: String, _ port: UInt16?) -> String {
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        let name = isIPv6 ? "[\(host.prefix { $0 != "%" })]" : host
        return port.map { "\(name):\($0)" } ?? name
    }

    /// `host`, `host:port`, `[v6]`, `[v6]:port`, or a bare IPv6 address.
    package static func split(_ name: String) -> (host: String, port: UInt16?)? {
        if let rest = name.after("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let host = String(rest[..<end])
            guard isIPv6(host) else { return nil }
            let tail = String(rest[rest.index(after: end)...])
            if tail.isEmpty { return (host, nil) }
            guard let digits = tail.after(":"), let port: UInt16 = number(digits[...]) else {
                return nil
            }
            return (host, port)
        }
        // Searches bytes, because a combining mark would hide the colon as a character.
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            return isHost(name) ? (name, nil) : nil
        }
        guard let host = String(name.utf8[..<colon]),
            let digits = String(name.utf8[name.utf8.index(after: colon)...]),
            isHost(host), let port: UInt16 = number(digits[...])
        else { return isIPv6(name) ? (name, nil) : nil }
        return (host, port)
    }

    /// Why a name is not of the form `host:port`.
    private static func reason(_ name: String) -> String {
        guard let colon = name.utf8.lastIndex(of: UInt8(ascii: ":")),
            let digits = String(name.utf8[name.utf8.index(after: colon)...]), !digits.isEmpty,
            digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), UInt16(digits) == nil
        else { return "it is not of the form host:port" }
        return "not a port: '\(digits)' (expected 0–65535)"
    }

    private static func isIPv6(_ text: String) -> Bool {
        SocketAddress(host: text, port: 0)?.family == .ipv6 && !text.hasPrefix("[")
    }

    /// A name or an IPv4 address: printable, without characters that have a meaning in an
    /// authority.
    private static func isHost(_ text: String) -> Bool {
        let special = "/?#@[]%\\,".utf8
        return !text.isEmpty
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && !special.contains($0) }
    }
}

extension String {
    fileprivate func after(_ prefix: String) -> String? {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
    }

    /// `etcd` for `etcd:name` and for `ETCD:///name`; nil if the text does not begin with a scheme.
    /// For `localhost:50051`, it is `localhost`: the caller must check that the scheme is
    /// registered.
    fileprivate var scheme: String? {
        guard let colon = firstIndex(of: ":") else { return nil }
        let scheme = self[..<colon].lowercased()
        return Target.isScheme(scheme) ? scheme : nil
    }

    /// `xds` of `xds:///name`; nil for `localhost:50051`.
    fileprivate var schemeBeforeSlashes: String? {
        guard let colon = firstIndex(of: ":"), self[index(after: colon)...].hasPrefix("//") else {
            return nil
        }
        return String(self[..<colon])
    }
}
