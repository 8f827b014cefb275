/// A check of the server's certificates by the program.
///
/// ```swift
/// var options = TLSOptions()
/// options.verification = PeerVerification { chain, server in
///     guard await isKnown(chain) else { throw RPCError(.unauthenticated, "\(server) is not known") }
/// }
/// ```
public struct PeerVerification: Sendable {
    /// Which certificates the check gets.
    public enum Order: Hashable, Sendable {
        /// After the built-in check: the chain is trusted, currently valid, and issued for the
        /// server.
        case afterBuiltIn
        /// Instead of the built-in check: the chain is what the server sent; its signatures, dates
        /// and names are not verified.
        case insteadOfBuiltIn
    }

    /// Receives the chain in DER, the server's own certificate first, and the name or address that
    /// the certificate must be for. Throws to refuse the server.
    public typealias Check = @Sendable (_ chain: [[UInt8]], _ server: String) async throws -> Void

    let order: Order
    let check: Check

    /// The check runs in a task of its own, once for each connection, while the connection waits.
    /// Its time counts toward ``ChannelArguments/connectTimeout``. When that timeout passes, the
    /// task is cancelled and the attempt fails. Sessions are not resumed, so that no connection is
    /// made without the check.
    ///
    /// - Parameters:
    ///   - order: Whether the check follows the built-in one, which is the default, or replaces it.
    ///   - check: The check. An error that it throws fails the attempt to connect, with its description
    ///     among the causes.
    public init(_ order: Order = .afterBuiltIn, _ check: @escaping Check) {
        self.order = order
        self.check = check
    }
}
