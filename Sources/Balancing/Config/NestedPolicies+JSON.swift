import SwiftletCore

extension Priority {
    init(_ config: ConfigObject) throws(RPCError) {
        var children: [String: Child] = [:]
        for (name, object) in try config.objectsByName("children") ?? [] {
            children[name] = Child(
                policy: try object.requiredPolicy("config"),
                ignoresResolutionRequests: try object.bool("ignoreReresolutionRequests") ?? false)
        }
        let priorities = try config.strings("priorities") ?? []
        for (index, name) in priorities.enumerated() where children[name] == nil {
            throw config.error(
                "priorities[\(index)]", "no child is named '\(RPCError.shown(name))'")
        }
        guard Set(priorities).count == priorities.count else {
            throw config.error("priorities", "a child is named twice")
        }
        self.init(children: children, priorities: priorities)
    }
}

extension WeightedTarget {
    init(_ config: ConfigObject) throws(RPCError) {
        var targets: [String: Target] = [:]
        for (name, object) in try config.objectsByName("targets") ?? [] {
            let weight = try object.integer("weight", in: 1...Int(UInt32.max))
            targets[name] = Target(
                weight: UInt32(try object.required("weight", weight)),
                policy: try object.requiredPolicy("childPolicy"))
        }
        self.init(targets)
    }
}

extension RandomSubsetting {
    init(_ config: ConfigObject) throws(RPCError) {
        let size = try config.integer("subsetSize", in: 1...Int(UInt32.max))
        self.init(
            subsetSize: try config.required("subsetSize", size),
            policy: try config.requiredPolicy("childPolicy"))
    }
}

extension OutlierDetection {
    init(_ config: ConfigObject) throws(RPCError) {
        self.init(policy: try config.requiredPolicy("childPolicy"))
        interval = try config.duration("interval") ?? interval
        baseEjectionTime = try config.duration("baseEjectionTime") ?? baseEjectionTime
        maxEjectionTime = try config.duration("maxEjectionTime")
        maxEjectionPercent = try config.percentage("maxEjectionPercent") ?? maxEjectionPercent
        if let object = try config.object("successRateEjection") {
            successRateEjection = try SuccessRateEjection(object)
        }
        if let object = try config.object("failurePercentageEjection") {
            failurePercentageEjection = try FailurePercentageEjection(object)
        }
    }
}

extension OutlierDetection.SuccessRateEjection {
    fileprivate init(_ config: ConfigObject) throws(RPCError) {
        self.init()
        stdevFactor = try config.count("stdevFactor") ?? stdevFactor
        enforcementPercentage =
            try config.percentage("enforcementPercentage") ?? enforcementPercentage
        minimumHosts = try config.count("minimumHosts") ?? minimumHosts
        requestVolume = try config.count("requestVolume") ?? requestVolume
    }
}

extension OutlierDetection.FailurePercentageEjection {
    fileprivate init(_ config: ConfigObject) throws(RPCError) {
        self.init()
        threshold = try config.percentage("threshold") ?? threshold
        enforcementPercentage =
            try config.percentage("enforcementPercentage") ?? enforcementPercentage
        minimumHosts = try config.count("minimumHosts") ?? minimumHosts
        requestVolume = try config.count("requestVolume") ?? requestVolume
    }
}

extension ConfigObject {
    fileprivate func requiredPolicy(_ name: String) throws(RPCError) -> any BalancingPolicy {
        guard let policy = try balancingPolicy(name) else { throw error(name, "is required") }
        return policy
    }

    fileprivate func percentage(_ name: String) throws(RPCError) -> Int? {
        try integer(name, in: 0...100)
    }

    fileprivate func count(_ name: String) throws(RPCError) -> Int? {
        try integer(name, in: 0...Int(UInt32.max))
    }
}
