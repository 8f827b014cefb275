import SwiftletCore
import SwiftletTransport

/// The name of a resource, in the form that is sent and compared.
///
/// A name of the form `xdstp://AUTHORITY/TYPE/ID?KEY=VALUE` (A47) has its parameters in the order of their keys. Any
/// other name is an opaque text.
struct ResourceName: Hashable, Sendable {
    /// Nil for an opaque name; empty for `xdstp:///…`.
    let authority: ByteText?
    let text: ByteText

    /// Nil if the name begins with `xdstp:` and is not one of the type.
    init?(_ name: String, of type: ResourceType) {
        guard name.utf8.starts(with: Self.scheme.utf8) else {
            (authority, text) = (nil, ByteText(name))
            return
        }
        var rest = name.utf8.dropFirst(Self.scheme.utf8.count)
        if let end = rest.firstIndex(of: UInt8(ascii: "#")) { rest = rest[..<end] }
        let query = rest.split(
            separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let hierarchy = query.first, hierarchy.starts(with: "//".utf8) else { return nil }
        let parts = hierarchy.dropFirst(2).split(
            separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[1].elementsEqual(type.messageName.utf8),
            let authority = PercentEncoding.decode(parts[0]),
            let id = PercentEncoding.decode(parts[2]),
            let parameters = Self.parameters(query.count == 2 ? query[1] : Substring().utf8)
        else { return nil }
        self.authority = ByteText(authority)
        text = ByteText(
            "xdstp://\(PercentEncoding.encode(authority, keeping: .authority))/\(type.messageName)/"
                + PercentEncoding.encode(id, keeping: .path) + parameters)
    }

    private static let scheme = "xdstp:"

    /// The query in the order of its keys. Of a key that is repeated, the last value counts.
    private static func parameters(_ query: Substring.UTF8View) -> String? {
        var values: [ByteText: String] = [:]
        for pair in query.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = PercentEncoding.decode(parts[0]),
                let value = PercentEncoding.decode(parts.count == 2 ? parts[1] : Substring().utf8)
            else { return nil }
            values[ByteText(key)] = value
        }
        guard !values.isEmpty else { return "" }
        let pairs = values.inOrder { $0.key < $1.key }.map { key, value in
            PercentEncoding.encode(key.string, keeping: .queryKey) + "="
                + PercentEncoding.encode(value, keeping: .queryValue)
        }
        return "?" + pairs.joined(separator: "&")
    }
}

extension ResourceName: CustomStringConvertible {
    var description: String { text.description }
}

// MARK: - The listener of a target

extension XDS.Bootstrap {
    /// The name of the listener of a target. Throws UNAVAILABLE if the bootstrap does not have its authority.
    ///
    /// - Parameters:
    ///   - path: The path of the target, without its first slash.
    ///   - authority: The authority of the target's URI; empty if it has none.
    func listenerName(of path: String, authority: String) throws(RPCError) -> ResourceName {
        var template = listenerTemplate
        if !authority.isEmpty {
            guard let known = authorities[ByteText(authority)] else {
                throw Self.unknown(authority)
            }
            template = known.listenerTemplate
        }
        let isURI = template.utf8.starts(with: "xdstp:".utf8)
        let id = isURI ? PercentEncoding.encode(path, keeping: .path) : path
        let name = Self.filled(template, with: id)
        guard let name = ResourceName(name, of: .listener) else {
            throw RPCError(
                .unavailable, "xds: '\(RPCError.shown(name))' is not the name of a listener")
        }
        return name
    }

    /// The servers to ask for a resource. Throws UNAVAILABLE if the bootstrap does not have its authority.
    func servers(for name: ResourceName) throws(RPCError) -> [Server] {
        guard let authority = name.authority else { return servers }
        guard let known = authorities[authority] else { throw Self.unknown(authority.string) }
        return known.servers
    }

    private static func unknown(_ authority: String) -> RPCError {
        RPCError(
            .unavailable,
            """
            xds: the bootstrap has no authority '\(RPCError.shown(authority))'; add it to \
            "authorities"
            """)
    }

    /// The template with the text in place of each `%s`.
    private static func filled(_ template: String, with text: String) -> String {
        var filled: [UInt8] = []
        var rest = template.utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.first == UInt8(ascii: "s") {
                rest.removeFirst()
                filled += text.utf8
            } else {
                filled.append(byte)
            }
        }
        return String(decoding: filled, as: UTF8.self)
    }
}
