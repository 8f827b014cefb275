public import SwiftletCore

extension Channel {
    /// A channel for plain HTTP requests to the server of a URL, such as `https://api.example.com`.
    /// The path of the URL is not used.
    ///
    /// An `http://` URL is reached unencrypted, by HTTP/1.1. With an `https://` URL, the server
    /// chooses between HTTP/2 and HTTP/1.1 in the first TLS handshake. Throws INVALID_ARGUMENT for
    /// another URL, and for credentials that do not fit its scheme.
    ///
    /// - Parameters:
    ///   - url: The server; its port is 80 or 443 by default.
    ///   - version: The version of HTTP; `HTTPVersion.negotiated` by default.
    ///   - credentials: Nil, the default, is the system's TLS for `https://`.
    ///   - arguments: How the connections behave; `ChannelArguments()` by default.
    ///   - defaultOptions: The options of calls that do not override them; none by default.
    ///   - interceptors: The interceptors of every call; none by default.
    ///   - queue: The queue of its connections; nil, the default, is `CompletionQueue.shared`.
    public convenience init(
        url: String, version: HTTPVersion = .negotiated,
        credentials: ChannelCredentials? = nil,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        queue: CompletionQueue? = nil
    ) throws(RPCError) {
        let address = try WebAddress(url)
        var chosen = ChannelCredentials.insecure
        if let credentials { chosen = credentials } else if address.isSecure { chosen = try .tls() }
        guard chosen.isSecure == address.isSecure else {
            throw .refused(
                .invalidArgument, "the credentials do not fit the scheme of '\(url.withoutLogin)'")
        }
        var arguments = arguments
        arguments.defaultAuthority = arguments.defaultAuthority ?? address.authority
        try self.init(
            address.target, version: version, credentials: chosen, arguments: arguments,
            defaultOptions: defaultOptions, interceptors: interceptors, queue: queue)
    }

    /// A channel whose connections use `version`. See
    /// `init(_:credentials:arguments:defaultOptions:interceptors:queue:)` for the other parameters.
    public convenience init(
        _ target: String, version: HTTPVersion, credentials: ChannelCredentials,
        arguments: ChannelArguments = ChannelArguments(),
        defaultOptions: CallOptions = CallOptions(), interceptors: [ChannelInterceptor] = [],
        queue: CompletionQueue? = nil
    ) throws(RPCError) {
        try self.init(
            target, credentials: credentials, arguments: arguments,
            defaultOptions: defaultOptions, interceptors: interceptors,
            queues: [try CompletionQueue.orShared(queue)],
            otherVersion: version.otherVersion(isSecure: credentials.isSecure))
    }
}

extension HTTPVersion {
    /// The version that is spoken beside HTTP/2, or instead of it.
    func otherVersion(isSecure: Bool) -> OtherVersion? {
        self == .http2 ? nil : .http1(isOnly: self == .http1 || !isSecure)
    }
}
