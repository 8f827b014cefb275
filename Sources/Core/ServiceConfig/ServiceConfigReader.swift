import Synchronization

/// Reads service configs that are text. The module `SwiftletBalancing` has the one that programs register: a
/// program that sets its config as a value needs none.
package protocol ServiceConfigReader: Sendable {
    /// Throws INVALID_ARGUMENT if the text is not a valid config.
    func config(json: String) throws(RPCError) -> ServiceConfig
    /// The policy of this name with its default configuration. Throws INVALID_ARGUMENT if there is none.
    func policy(named name: String) throws(RPCError) -> any BalancingPolicy
    /// Looks up the config of a name in DNS.
    func lookup(of host: String, _ arguments: ChannelArguments) -> any ServiceConfigLookup
}

/// One way to look up the service config of a name.
package protocol ServiceConfigLookup: Sendable {
    /// Calls `receive` once, unless the look-up is not needed any more when it begins. The config is nil if the
    /// name has none for this client.
    func start(
        isNeeded: @escaping @Sendable () -> Bool,
        _ receive: @escaping @Sendable (Result<ServiceConfig?, RPCError>) -> Void)
}

package enum ServiceConfigReaders {
    private static let registered = Mutex<(any ServiceConfigReader)?>(nil)

    package static func register(_ reader: any ServiceConfigReader) {
        registered.withLock { $0 = reader }
    }

    /// Throws INVALID_ARGUMENT with what to add to the program if it has no reader.
    static func reader() throws(RPCError) -> any ServiceConfigReader {
        guard let reader = registered.withLock({ $0 }) else {
            throw .refused(
                .invalidArgument,
                """
                the client alone does not read it: add 'import SwiftletBalancing', and call \
                'ServiceConfigText.register()' when the program starts
                """)
        }
        return reader
    }

    /// The policy of this name with its default configuration. A client alone knows two.
    static func policy(named name: String) throws(RPCError) -> any BalancingPolicy {
        switch name {
        case "pick_first": return PickFirst()
        case "round_robin": return RoundRobin()
        default: return try reader().policy(named: name)
        }
    }
}
