public import SwiftletCore

extension ServiceConfig {
    /// Parses a service config in JSON, as `service_config.md` of gRPC describes it.
    ///
    /// Unknown fields are ignored, as gRPC demands. `ServiceConfig.warnings` names them. Throws INVALID_ARGUMENT if the text is not JSON; the error gives line and
    /// column. Throws INVALID_ARGUMENT if a known field is not valid; the error gives its path:
    public init(json: String) throws(RPCError) {
        let object = try ConfigObject(json: json)
        try self.init(object)
        warnings = object.unreadFields()
    }

    init(_ config: ConfigObject) throws(RPCError) {
        self.init()
        balancing = try config.preferredPolicy()
        methods = try config.methodConfigs()
        retryThrottling = try config.object("retryThrottling").map { (object) throws(RPCError) in
            try RetryThrottling(object)
        }
        healthCheckServiceName = try config.object("healthCheckConfig")?.string("serviceName")
        maxConnectionsPerSubchannel = try config.object("connectionScaling")?
            .integer("maxConnectionsPerSubchannel", in: 1...Int(UInt32.max))
    }
}

extension ConfigObject {
    /// The policy of `loadBalancingConfig`, or else of the deprecated `loadBalancingPolicy`.
    fileprivate func preferredPolicy() throws(RPCError) -> (any BalancingPolicy)? {
        if let policy = try balancingPolicy("loadBalancingConfig") {
            ignore("loadBalancingPolicy")
            return policy
        }
        return try deprecatedPolicy()
    }

    /// The policy whose name, in any case, is `loadBalancingPolicy`.
    private func deprecatedPolicy() throws(RPCError) -> (any BalancingPolicy)? {
        let field = "loadBalancingPolicy"
        guard let name = try string(field), !name.isEmpty else { return nil }
        guard let parse = BalancingPolicies.parser(named: name.lowercased()) else {
            throw error(field, "unknown balancing policy '\(RPCError.shown(name))'")
        }
        return try parse(ConfigObject([:], path: field))
    }

    /// The entries of `methodConfig` that name a method. Throws if a name is repeated.
    fileprivate func methodConfigs() throws(RPCError) -> [MethodConfig] {
        var configs: [MethodConfig] = []
        var paths: [MethodConfig.Name: String] = [:]
        for object in try objects("methodConfig") ?? [] {
            let config = try MethodConfig(object)
            for (index, name) in config.names.enumerated() {
                let path = object.pathOf("name[\(index)]")
                if let first = paths.updateValue(path, forKey: name) {
                    throw .refused(.invalidArgument, "\(path): is the same as \(first)")
                }
            }
            if !config.names.isEmpty { configs.append(config) }
        }
        return configs
    }
}
