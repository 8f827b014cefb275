package import SwiftletCore

/// The parts of an `http://` or `https://` URL that a request needs.
package struct WebAddress: Equatable, Sendable {
    /// Whether the scheme is `https`.
    package let isSecure: Bool
    /// `host` or `host:port`, as it was written.
    package let authority: String
    /// Path and query; `/` when the URL has none. The fragment is left out: it is not sent.
    package let path: String

    /// Whether a text begins with `http://` or `https://`, in upper or lower case.
    package static func isWebAddress(_ text: String) -> Bool {
        split(text, behind: "https://") != nil || split(text, behind: "http://") != nil
    }

    /// Throws INVALID_ARGUMENT when the text is not a URL of the scheme `http` or `https`, or has a
    /// user name.
    package init(_ url: String) throws(RPCError) {
        let secure = Self.split(url, behind: "https://")
        guard let rest = secure ?? Self.split(url, behind: "http://") else {
            throw Self.malformed(url, "expected http:// or https://")
        }
        isSecure = secure != nil
        let authority = rest.prefix { !"/?#".utf8.contains($0) }
        self.authority = String(decoding: authority, as: UTF8.self)
        let tail = rest.dropFirst(authority.count).prefix { $0 != UInt8(ascii: "#") }
        let path = String(decoding: tail, as: UTF8.self)
        self.path = tail.first == UInt8(ascii: "/") ? path : "/" + path
        guard Target.split(self.authority) != nil else {
            let hasLogin = url.utf8.contains(UInt8(ascii: "@"))
            throw Self.malformed(
                url,
                hasLogin
                    ? "a user name and a password are not supported"
                    : "'\(self.authority)' is not a host with an optional port")
        }
        guard tail.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw Self.malformed(url, "a character of the path has to be percent-encoded")
        }
    }

    /// Scheme, host and port, which name a server (RFC 6454 §4): in lower case, and without the port of the scheme. Hosts
    /// are cached by it.
    package var origin: String {
        let (name, port) = server
        let scheme = isSecure ? "https://" : "http://"
        // What follows is the name of an interface, in which the case counts.
        let zone = name.utf8.firstIndex(of: UInt8(ascii: "%")) ?? name.endIndex
        let host = name[..<zone].lowercased() + name[zone...]
        return scheme + host + (port == standardPort ? "" : ":\(port)")
    }

    /// The target of a channel: the authority with the port of the scheme, when none was written. With the scheme of
    /// targets, because a host may be called as one is.
    package var target: String {
        let (name, port) = server
        return "dns:///\(name):\(port)"
    }

    private var server: (name: String, port: UInt16) {
        // The initialiser has split it before.
        guard let (host, port) = Target.split(authority) else { return (authority, standardPort) }
        let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
        return (name, port ?? standardPort)
    }

    private var standardPort: UInt16 { isSecure ? 443 : 80 }

    private static func malformed(_ url: String, _ reason: String) -> RPCError {
        .refused(.invalidArgument, "the URL '\(url.withoutLogin)' is malformed: \(reason)")
    }

    /// The text after the scheme, which is compared without regard to case.
    private static func split(_ url: String, behind scheme: String) -> Substring.UTF8View? {
        guard url.utf8.count >= scheme.utf8.count,
            zip(url.utf8, scheme.utf8).allSatisfy({ $0 | 0x20 == $1 | 0x20 })
        else { return nil }
        return url.utf8.dropFirst(scheme.utf8.count)
    }
}
