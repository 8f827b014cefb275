/// A proxy through which connections are made. The proxy receives the name of the server, looks it
/// up, and forwards bytes.
///
/// ```swift
/// var arguments = ChannelArguments()
/// arguments.proxy = .server(try ProxyServer("http://user:password@proxy.example.com:3128"))
/// ```
public struct ProxyServer: Hashable, Sendable {
    /// The protocol in which a connection is requested from the proxy.
    @nonexhaustive
    public enum Kind: Hashable, Sendable {
        /// The CONNECT method of HTTP/1.1 (RFC 9110 §9.3.6).
        case http
        /// SOCKS version 5 (RFC 1928).
        case socks5
    }

    /// The protocol in which a connection is requested from the proxy.
    public let kind: Kind
    /// The proxy's name or address.
    public let host: String
    /// The proxy's port.
    public let port: UInt16
    /// The user name for the log-in; nil if the proxy needs no log-in.
    public let user: String?
    /// The password for the log-in; nil if the proxy needs no log-in.
    public let password: String?

    /// Parses `http://host:port`, `socks5://host:port` or `socks5h://host:port`, each with or
    /// without `user:password@` before the host. `%XX` in the user or password means a byte. The
    /// default port is 443 for an HTTP proxy, as in gRPC's other clients, and 1080 for a SOCKS
    /// proxy. Throws INVALID_ARGUMENT for any other text; the error does not repeat the
    /// password.
    public init(_ url: String) throws(RPCError) {
        guard let scheme = Self.kinds.first(where: { url.lowercased().hasPrefix($0.prefix) }) else {
            throw Self.malformed("expected http://, socks5:// or socks5h://")
        }
        kind = scheme.kind
        var rest = String(url.dropFirst(scheme.prefix.count).prefix { $0 != "/" })
        if let at = rest.lastIndex(of: "@") {
            let login = rest[..<at]
            rest = String(rest[rest.index(after: at)...])
            let name = login.prefix { $0 != ":" }
            user = try Self.decoded(name)
            password = try Self.decoded(login.dropFirst(name.count + 1))
        } else {
            (user, password) = (nil, nil)
        }
        guard let (host, port) = Target.split(rest) else {
            // The text is not repeated: it may be a part of a password that contains a slash.
            throw Self.malformed("what follows the log-in is not of the form host:port")
        }
        self.host = host
        self.port = port ?? (kind == .http ? 443 : 1_080)
        // RFC 1929 §2: the length of each is one byte.
        for part in [user, password] where kind == .socks5 && (part?.utf8.count ?? 0) > 255 {
            throw Self.malformed("the name or password is longer than 255 bytes")
        }
    }

    private static let kinds: [(prefix: String, kind: Kind)] = [
        ("http://", .http), ("socks5h://", .socks5), ("socks5://", .socks5),
    ]

    private static func decoded(_ text: Substring) throws(RPCError) -> String {
        let parts = text.utf8.split(separator: UInt8(ascii: "%"), omittingEmptySubsequences: false)
        guard parts.dropFirst().allSatisfy({ PercentCoding.beginsWithByte($0) }) else {
            throw malformed("'%' in a name or password must be followed by two hexadecimal digits")
        }
        return PercentCoding.decode(String(text))
    }

    private static func malformed(_ reason: String) -> RPCError {
        .refused(.invalidArgument, "the proxy's URL is malformed: \(reason)")
    }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The URL without the log-in.
    public var description: String {
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        return "\(kind == .http ? "http" : "socks5")://\(isIPv6 ? "[\(host)]" : host):\(port)"
    }

    public var debugDescription: String { description }

    /// Hides the log-in.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Which proxy a channel uses.
@nonexhaustive
public enum ProxyChoice: Hashable, Sendable {
    /// The proxy in the environment (gRPC's HTTP proxy mapper): the first of `grpc_proxy`,
    /// `https_proxy`, `http_proxy` and `all_proxy` that is set, unless `no_grpc_proxy` or
    /// `no_proxy` excludes the target. No proxy for targets on this machine, and for targets whose
    /// resolver the program registered.
    case environment
    /// No proxy, even if the environment names one.
    case none
    /// This proxy, for all targets except local sockets.
    case server(ProxyServer)
}
