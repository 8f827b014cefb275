import SwiftletCore

extension PickFirst {
    init(_ config: ConfigObject) throws(RPCError) {
        self.init(shuffleAddressList: try config.bool("shuffleAddressList") ?? false)
    }
}

extension WeightedRoundRobin {
    init(_ config: ConfigObject) throws(RPCError) {
        self.init()
        enableOutOfBandLoadReport =
            try config.bool("enableOobLoadReport") ?? enableOutOfBandLoadReport
        outOfBandReportingPeriod =
            try config.duration("oobReportingPeriod") ?? outOfBandReportingPeriod
        blackoutPeriod = try config.duration("blackoutPeriod") ?? blackoutPeriod
        weightExpirationPeriod =
            try config.duration("weightExpirationPeriod") ?? weightExpirationPeriod
        weightUpdatePeriod = try config.duration("weightUpdatePeriod") ?? weightUpdatePeriod
        errorUtilizationPenalty =
            try config.number("errorUtilizationPenalty") ?? errorUtilizationPenalty
        metricNamesForComputingUtilization =
            try config.strings("metricNamesForComputingUtilization") ?? []
        guard errorUtilizationPenalty >= 0 else {
            throw config.error("errorUtilizationPenalty", "expected a number of 0 or more")
        }
    }
}

extension LeastRequest {
    init(_ config: ConfigObject) throws(RPCError) {
        self.init(choiceCount: try config.integer("choiceCount", in: 2...Int.max) ?? 2)
    }
}

extension RingHash {
    /// The sizes of a ring that are accepted.
    private static let validSizes = 1...8 << 20

    init(_ config: ConfigObject) throws(RPCError) {
        self.init()
        minRingSize = try config.integer("minRingSize", in: Self.validSizes) ?? minRingSize
        maxRingSize = try config.integer("maxRingSize", in: Self.validSizes) ?? maxRingSize
        guard minRingSize <= maxRingSize else {
            throw config.error("maxRingSize", "is smaller than minRingSize, \(minRingSize)")
        }
        let field = "requestHashHeader"
        requestHashHeader = try config.string(field)?.lowercased() ?? ""
        guard !requestHashHeader.isEmpty else { return }
        if let problem = MetadataRules.problem(requestHashHeader, .text("")) {
            throw config.error(field, problem)
        }
    }
}
