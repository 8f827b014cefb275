import SwiftletCore
import SwiftletTransport

/// Service configs as text, where channel arguments name them.
///
/// `ServiceConfig(json:)` reads a text without this.
public enum ServiceConfigText {
    /// Lets channels that are made afterwards use `grpc.service_config`, policies in `grpc.lb_policy_name` other than
    /// `pick_first` and `round_robin`, and `ChannelArguments.findsServiceConfigInDNS`. Without it, they fail with
    /// INVALID_ARGUMENT.
    ///
    /// ```swift
    /// ServiceConfigText.register()
    /// var arguments = ChannelArguments()
    /// arguments.findsServiceConfigInDNS = true
    /// ```
    public static func register() { ServiceConfigReaders.register(Reader()) }

    private struct Reader: ServiceConfigReader {
        func config(json: String) throws(RPCError) -> ServiceConfig {
            try ServiceConfig(json: json)
        }

        func policy(named name: String) throws(RPCError) -> any BalancingPolicy {
            guard let parse = BalancingPolicies.parser(named: name) else {
                throw .refused(
                    .invalidArgument, "unknown balancing policy '\(RPCError.shown(name))'")
            }
            return try parse(ConfigObject([:], path: name))
        }

        func lookup(of host: String, _ arguments: ChannelArguments) -> any ServiceConfigLookup {
            ConfigLookup(
                host: host, servers: arguments.configNameServers.map { NameServers($0) },
                timeLimit: arguments.connectTimeout * 3 / 4)
        }
    }
}
