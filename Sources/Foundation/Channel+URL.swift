public import Foundation
public import SwiftletCore

extension Channel {
    /// A channel to the gRPC server of a URL, such as `https://example.com:8443`, or to a target that is written as a URL,
    /// such as `dns:///example.com`.
    ///
    /// Throws INVALID_ARGUMENT if an `http` or `https` URL has a path, a query or a user name; if the credentials do not fit
    /// its scheme; and if credentials are missing for another scheme.
    ///
    /// - Parameters:
    ///   - url: The server. The default port is 443 for `https` and 80 for `http`.
    ///   - credentials: Nil, the default, is `.tls()` for `https`, and
    ///     `.insecure` for `http`.
    ///   - arguments: The settings of its connections.
    ///   - defaultOptions: The values of options that a call does not set.
    ///   - interceptors: The interceptors of every call.
    ///   - queue: The queue that runs its connections; nil is `CompletionQueue.shared`.
    public convenience init(
        _ url: URL, credentials: ChannelCredentials? = nil,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        queue: CompletionQueue? = nil
    ) throws(RPCError) {
        let text = url.absoluteString
        var target = text
        var chosen = credentials
        var arguments = arguments
        if let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme) {
            let (authority, host, port) = try Self.server(of: text, scheme)
            let isSecure = scheme == "https"
            if chosen == nil { chosen = isSecure ? try .tls() : .insecure }
            guard chosen?.isSecure == isSecure else {
                throw Self.refusal(of: text, "the credentials do not fit its scheme")
            }
            let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
            // With its scheme: a host may be called as one is.
            target = "dns:///\(name):\(port ?? (isSecure ? 443 : 80))"
            if arguments.defaultAuthority == nil {
                arguments.defaultAuthority = try Target("dns:///\(authority)").defaultAuthority
            }
        }
        guard let chosen else {
            throw Self.refusal(of: text, "a target of its scheme needs credentials")
        }
        try self.init(
            target, credentials: chosen, arguments: arguments, defaultOptions: defaultOptions,
            interceptors: interceptors, queue: queue)
    }

    /// The server that a URL names. Reads the text as targets are read: Foundation takes brackets, percent-encoding and a
    /// login from it that are mistakes here.
    private static func server(
        of url: String, _ scheme: String
    ) throws(RPCError) -> (authority: String, host: String, port: UInt16?) {
        let rest = url.utf8.dropFirst(scheme.utf8.count)
        guard rest.starts(with: "://".utf8) else {
            throw refusal(of: url, "expected '//' behind its scheme")
        }
        let bytes = rest.dropFirst(3).prefix { !"/?#".utf8.contains($0) }
        var authority = String(decoding: bytes, as: UTF8.self)
        // RFC 6874: the '%' before the zone of an IPv6 address.
        if bytes.first == UInt8(ascii: "[") {
            authority = authority.replacingOccurrences(of: "%25", with: "%")
        }
        guard let (host, port) = Target.split(authority) else {
            throw refusal(
                of: url,
                authority.utf8.contains(UInt8(ascii: "@"))
                    ? "a user name and a password are not supported"
                    : "'\(authority)' is not a host with an optional port")
        }
        let tail = rest.dropFirst(3 + bytes.count)
        guard tail.isEmpty || tail.elementsEqual("/".utf8) else {
            throw refusal(of: url, "a gRPC server has no path, no query and no fragment")
        }
        return (authority, host, port)
    }

    private static func refusal(of url: String, _ reason: String) -> RPCError {
        .refused(.invalidArgument, "the URL '\(url.withoutLogin)' is no target: \(reason)")
    }
}
