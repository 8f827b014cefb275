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
            guard url.user == nil, url.password == nil else {
                throw Self.refusal(of: text, "a user name and a password are not supported")
            }
            guard ["", "/"].contains(url.path(percentEncoded: true)), url.query == nil,
                url.fragment == nil
            else {
                throw Self.refusal(of: text, "a gRPC server has no path, no query and no fragment")
            }
            let isSecure = scheme == "https"
            if chosen == nil { chosen = isSecure ? try .tls() : .insecure }
            guard chosen?.isSecure == isSecure else {
                throw Self.refusal(of: text, "the credentials do not fit its scheme")
            }
            // RFC 3986 §3.2.2: an IPv6 address is written in brackets. Its zone is not sent.
            let host = url.host ?? ""
            let isIPv6 = host.contains(":")
            let name = isIPv6 ? "[\(host.prefix { $0 != "%" })]" : host
            target = "\(isIPv6 ? "[\(host)]" : host):\(url.port ?? (isSecure ? 443 : 80))"
            arguments.defaultAuthority =
                arguments.defaultAuthority ?? url.port.map { "\(name):\($0)" } ?? name
        }
        guard let chosen else {
            throw Self.refusal(of: text, "a target of its scheme needs credentials")
        }
        try self.init(
            target, credentials: chosen, arguments: arguments, defaultOptions: defaultOptions,
            interceptors: interceptors, queue: queue)
    }

    private static func refusal(of url: String, _ reason: String) -> RPCError {
        .refused(.invalidArgument, "the URL '\(url.withoutLogin)' is no target: \(reason)")
    }
}
