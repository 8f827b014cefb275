public import SwiftletCore
import Synchronization

/// The balancing policies that a service config can name.
public enum BalancingPolicies {
    /// Reads the configuration of a policy. Throws INVALID_ARGUMENT when it is not valid.
    public typealias Parse =
        @Sendable (_ config: ConfigObject) throws(RPCError) -> any BalancingPolicy

    /// Registers a policy of the program under a name, for all service configs that are parsed
    /// afterwards. If the name is already in use, also by a policy of this library, the new policy
    /// replaces it.
    public static func register(name: String, parse: @escaping Parse) {
        let old = registered.withLock { $0.updateValue(parse, forKey: name) }
        // Released outside the lock.
        _ = old
    }

    private static let registered = Mutex<[String: Parse]>([:])

    /// The function that reads the configuration of a policy; nil if no policy has the name. The
    /// suffix `_experimental` of a policy of this library is optional.
    package static func parser(named name: String) -> Parse? {
        registered.withLock { $0[name] } ?? builtIn[name] ?? builtIn[name + "_experimental"]
    }

    private static let builtIn: [String: Parse] = [
        "pick_first": { (config) throws(RPCError) in try PickFirst(config) },
        "round_robin": { _ in RoundRobin() },
        "weighted_round_robin": { (config) throws(RPCError) in try WeightedRoundRobin(config) },
        "least_request_experimental": { (config) throws(RPCError) in try LeastRequest(config) },
        "ring_hash_experimental": { (config) throws(RPCError) in try RingHash(config) },
        "priority_experimental": { (config) throws(RPCError) in try Priority(config) },
        "weighted_target_experimental": { (config) throws(RPCError) in try WeightedTarget(config) },
        "outlier_detection_experimental": { (config) throws(RPCError) in
            try OutlierDetection(config)
        },
        "random_subsetting_experimental": { (config) throws(RPCError) in
            try RandomSubsetting(config)
        },
    ]
}

extension ConfigObject {
    /// Reads a field that lists policies in order of preference. Returns the first policy that is
    /// known. Throws if no policy of the list is known, or if the configuration of the first known
    /// policy is not valid.
    public func balancingPolicy(_ name: String) throws(RPCError) -> (any BalancingPolicy)? {
        guard let entries = try objects(name) else { return nil }
        // The configuration of a policy that is not chosen is not read: it may have any form.
        for entry in entries {
            for policy in entry.members.keys { entry.ignore(policy) }
        }
        for entry in entries {
            guard entry.members.count == 1, let policy = entry.members.keys.first else {
                throw .refused(
                    .invalidArgument,
                    "\(entry.path): expected one policy, found \(entry.members.count)")
            }
            guard let parse = BalancingPolicies.parser(named: policy) else { continue }
            return try parse(
                try entry.object(policy) ?? entry.part([:], policy))
        }
        guard !entries.isEmpty else { throw error(name, "the list is empty") }
        let names = entries.compactMap(\.members.keys.first).map { "'\(RPCError.shown($0))'" }
        throw error(
            name, "none of these balancing policies is known: \(names.joined(separator: ", "))")
    }
}
