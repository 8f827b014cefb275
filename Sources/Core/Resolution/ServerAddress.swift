package import SwiftletTransport

/// The address of a server: an IP address with a port, or a socket on this machine.
public struct ServerAddress: Hashable, Sendable {
    package let socketAddress: SocketAddress

    package init(_ socketAddress: SocketAddress) { self.socketAddress = socketAddress }

    /// Parses `127.0.0.1:50051`, `[::1]:50051`, `unix:/path` or `unix-abstract:name`. Names are
    /// looked up by a resolver and are no addresses. Throws INVALID_ARGUMENT for any other text.
    public init(_ text: String) throws(RPCError) {
        if text.hasPrefix("unix:") || text.hasPrefix("unix-abstract:") {
            guard case .addresses(let addresses) = try Target(text).resolution else {
                throw Self.malformed(text)
            }
            self.init(addresses[0])
        } else {
            guard let address = SocketAddress(text) else { throw Self.malformed(text) }
            self.init(address)
        }
    }

    private static func malformed(_ text: String) -> RPCError {
        .refused(
            .invalidArgument,
            "not an address: '\(text)' (expected for example 127.0.0.1:50051, [::1]:50051 or unix:/path)"
        )
    }
}

extension ServerAddress: CustomStringConvertible {
    /// As ``init(_:)`` parses it.
    public var description: String { "\(socketAddress)" }
}
