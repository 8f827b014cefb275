import SwiftletTransport

/// The target of a channel's connections, and how they are secured.
struct WireRoute: Sendable {
    let target: Target
    let credentials: ChannelCredentials
    let arguments: ChannelArguments
    /// The application protocols that are offered over TLS; nil offers those of the credentials.
    var protocols: [String]?
    /// Supplies connected sockets; nil connects to addresses.
    let sockets: SocketSupply?
    /// The proxy that connections are made through; nil for none.
    let proxy: ProxyServer?
}
