package import SwiftletTransport

/// The address of a server: an IP address with a port, a socket on this machine, or a port of a virtual machine.
public struct ServerAddress: Hashable, Sendable {
    package let socketAddress: SocketAddress

    package init(_ socketAddress: SocketAddress) { self.socketAddress = socketAddress }

    /// Parses `127.0.0.1:50051`, `[::1]:50051`, `unix:/path`, `unix-abstract:name` or `vsock:3:50051`. Throws
    /// INVALID_ARGUMENT for any other text, also for a name: a resolver looks up names.
    public init(_ text: String) throws(RPCError) {
        if Self.schemes.contains(where: { text.hasPrefix($0) }) {
            guard case .addresses(let addresses) = try Target(text).resolution else {
                throw Self.malformed(text)
            }
            self.init(addresses[0])
        } else {
            guard let address = SocketAddress(text) else { throw Self.malformed(text) }
            self.init(address)
        }
    }

    private static let schemes = ["unix:", "unix-abstract:", "vsock:"]

    private static func malformed(_ text: String) -> RPCError {
        .refused(
            .invalidArgument,
            "not an address: '\(text)' (expected for example 127.0.0.1:50051, [::1]:50051 or unix:/path)"
        )
    }
}

extension ServerAddress: CustomStringConvertible {
    /// The text that ``init(_:)`` parses.
    public var description: String { "\(socketAddress)" }
}
