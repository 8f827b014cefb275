import SwiftletCore

/// Plain HTTP, in any version, for a program that names its servers by `Host`.
///
/// ```swift
/// PlainHTTP.register()
/// let answer = try await Host.at("https://api.example.com").channel().request(.get, "/users/1")
/// ```
public enum PlainHTTP {
    /// Makes the channels of a `Host` available whose address is a URL, or whose settings name an
    /// `HTTPVersion` other than HTTP/2. To be called once, when the program starts. ``RESTClient`` and
    /// ``RPCClient`` call it themselves.
    public static func register() {
        WebChannels.register { address, settings throws(RPCError) in
            if WebAddress.isWebAddress(address) {
                // The scheme of the URL decides whether TLS is used.
                let isSecure = try WebAddress(address).isSecure
                return try Channel(
                    url: address, version: settings.httpVersion ?? .negotiated,
                    credentials: try settings.credentials(isSecure: isSecure),
                    arguments: settings.arguments, defaultOptions: settings.defaultOptions,
                    interceptors: settings.interceptors, queue: settings.queue)
            }
            return try Channel(
                address, version: settings.httpVersion ?? .http2,
                credentials: try settings.credentials(isSecure: settings.isSecure),
                arguments: settings.arguments, defaultOptions: settings.defaultOptions,
                interceptors: settings.interceptors, queue: settings.queue)
        }
    }
}

extension Host {
    /// The channel of a host in a program that may not have called ``PlainHTTP/register()``.
    func webChannel() throws(RPCError) -> Channel {
        PlainHTTP.register()
        return try channel()
    }
}
