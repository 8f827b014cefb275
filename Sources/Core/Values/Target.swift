import SwiftletTransport

/// Where a channel leads, parsed from gRPC's notation for names.
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
        if let rest = text.after("unix-abstract:") {
            resolution = .addresses([.unixAbstract(name: Array(rest.utf8))])
            (defaultAuthority, host) = ("localhost", "localhost")
        } else if let rest = text.after("unix:") {
            let path = rest.after("//") ?? rest
            guard !path.isEmpty else { throw Self.malformed(text, "the path is empty") }
            resolution = .addresses([.unix(path: path)])
            (defaultAuthority, host) = ("localhost", "localhost")
        } else if let rest = text.after("ipv4:") ?? text.after("ipv6:") {
            let addresses = try Self.literals(rest, of: text)
            resolution = .addresses(addresses)
            defaultAuthority = String(rest.prefix { $0 != "," })
            host = Self.split(defaultAuthority)?.host ?? defaultAuthority
        } else {
            let name = try Self.dnsName(text)
            guard let (host, port) = Self.split(name) else {
                throw Self.malformed(text, "it is not of the form host:port")
            }
            self.host = host
            defaultAuthority = name
            resolution =
                SocketAddress(host: host, port: port ?? Self.defaultPort).map { .addresses([$0]) }
                ?? .name(host: host, port: port ?? Self.defaultPort)
        }
    }
}

extension Target: CustomStringConvertible {
    public var description: String { text }
}

// MARK: - Parsing

extension Target {
    private static func malformed(_ text: String, _ reason: String) -> RPCError {
        var error = RPCError(.invalidArgument, "the target '\(text)' is malformed: \(reason)")
        error.phase = .preparing
        error.mayHaveBeenExecuted = false
        return error
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

    private static func literals(
        _ list: String, of text: String
    ) throws(RPCError) -> [SocketAddress] {
        var addresses: [SocketAddress] = []
        for part in list.split(separator: ",", omittingEmptySubsequences: false) {
            guard let (host, port) = split(String(part)),
                let address = SocketAddress(host: host, port: port ?? defaultPort)
            else { throw malformed(text, "'\(part)' is not an address with a port") }
            addresses.append(address)
        }
        return addresses
    }

    /// `host`, `host:port`, `[v6]`, `[v6]:port`, or a bare IPv6 address.
    static func split(_ name: String) -> (host: String, port: UInt16?)? {
        if let rest = name.after("[") {
            guard let end = rest.firstIndex(of: "]") else { return nil }
            let host = String(rest[..<end])
            let tail = String(rest[rest.index(after: end)...])
            if tail.isEmpty { return (host, nil) }
            guard let digits = tail.after(":"), let port = UInt16(digits) else { return nil }
            return (host, port)
        }
        let colons = name.utf8.count { $0 == UInt8(ascii: ":") }
        guard colons == 1 else { return name.isEmpty ? nil : (name, nil) }
        // By octets, as they were counted: a combining mark would hide the colon as a character.
        guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")), colon > name.startIndex,
            let host = String(name.utf8[..<colon]),
            let digits = String(name.utf8[name.utf8.index(after: colon)...]),
            let port = UInt16(digits)
        else { return nil }
        return (host, port)
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
