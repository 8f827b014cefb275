import Synchronization

@testable import SwiftletCore

/// Targets with a scheme of their own. Schemes belong to the process, and tests run together: two that register one
/// scheme would get the resolvers of each other.
enum OwnScheme {
    private static let count = Atomic(0)

    /// The target of channels that get their resolvers from `make`.
    static func target(
        _ path: String = "x",
        _ make: @escaping @Sendable (ResolverChannel) throws(RPCError) -> any Resolver
    ) -> String {
        let scheme = "own-\(count.add(1, ordering: .relaxed).newValue)"
        Resolvers.register(forModule: scheme, make)
        return "\(scheme):///\(path)"
    }
}
