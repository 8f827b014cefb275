public import SwiftletCore

/// The settings for one server, and the channel to it.
///
/// A cache has one host for each address, which all its users share:
///
/// ```swift
/// let host = Host.at("example.com:443")
/// host.configure { $0.userAgentPrefix = "shop/1.4" }
/// let greeter = Greeter(channel: try host.channel())
/// ```
///
/// The channel is made by the first call of ``channel()``, from the settings at that time. Later
/// changes have an effect after ``disconnect()``, and after the machine has lost its network.
///
/// The address may be a base URL, such as `https://example.com/v1`. Hosts of a cache whose URLs differ only
/// in their ``path`` share their settings and their channel, because they name one server.
///
/// Foundation also has a type of this name: if both are imported, this is `SwiftletJSONRPC.Host`.
public final class Host: Sendable {
    /// The target of its channels, in the form that `Channel` accepts, or a URL; also its name in a
    /// cache.
    public let address: String
    /// The path of a base URL, with its query, such as `/v1`. It is empty if the address is not a URL,
    /// or a URL without a path. Clients that are made from the host begin every path with it; the
    /// channel does not.
    public let path: String
    private let server: HostServer

    /// A host that is not in a cache.
    public convenience init(_ address: String) { self.init(address, HostServer(address)) }

    init(_ address: String, _ server: HostServer) {
        self.address = address
        self.server = server
        let path = (try? WebAddress(address))?.path ?? ""
        self.path = path == "/" ? "" : path
    }

    /// The host of an address in ``HostCache/shared``. The first look-up of an address creates it.
    public static func at(_ address: String) -> Host { HostCache.shared.host(at: address) }
}

extension Host {
    /// The settings for the next channel. Change them with ``configure(_:)``.
    public var settings: Settings { server.settings }

    /// Changes the settings for the next channel. If another thread changes them at the same time,
    /// `change` is called again with the new settings.
    public func configure(_ change: (inout Settings) -> Void) { server.configure(change) }

    /// Sets TLS from PEM text; nil roots are the system's. Throws, and changes nothing, if the text
    /// is not PEM or the key does not match the certificate.
    public func setTLS(
        rootCertificates: String? = nil, privateKey: String? = nil, certificateChain: String? = nil
    ) throws(RPCError) {
        var options = TLSOptions()
        options.rootCertificates = rootCertificates.map { .text($0) }
        options.privateKey = privateKey.map { .text($0) }
        options.certificateChain = certificateChain.map { .text($0) }
        let credentials = try ChannelCredentials.tls(options)
        configure { settings in
            settings.credentials = credentials
            settings.isSecure = true
        }
    }

    /// The channel to the host: the same one for all callers, until ``disconnect()``.
    public func channel() throws(RPCError) -> Channel { try server.channel() }

    /// Releases the channel and drains its connections; running calls continue. The next call of
    /// ``channel()`` makes a new channel with the current settings. A caller that still has the old
    /// channel can use it: its next call opens a new connection with the old settings.
    public func disconnect() { server.disconnect() }
}
