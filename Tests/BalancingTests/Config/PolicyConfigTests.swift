import SwiftletCore
import Testing

@testable import SwiftletBalancing

@Suite("The policies of a service config")
struct PolicyConfigTests {
    private func policy(_ json: String) throws(RPCError) -> (any BalancingPolicy)? {
        try ServiceConfig(json: #"{"loadBalancingConfig": [\#(json)]}"#).balancing
    }

    @Test("weighted_round_robin")
    func weightedRoundRobin() throws {
        var expected = WeightedRoundRobin()
        #expect(try policy(#"{"weighted_round_robin": {}}"#) as? WeightedRoundRobin == expected)
        expected.enableOutOfBandLoadReport = true
        expected.outOfBandReportingPeriod = .seconds(1)
        expected.blackoutPeriod = .seconds(2)
        expected.weightExpirationPeriod = .seconds(3)
        expected.weightUpdatePeriod = .seconds(4)
        expected.errorUtilizationPenalty = 0.5
        expected.metricNamesForComputingUtilization = ["named_metrics.queue"]
        let json = #"""
            {"weighted_round_robin": {"enableOobLoadReport": true, "oobReportingPeriod": "1s",
            "blackoutPeriod": "2s", "weightExpirationPeriod": "3s", "weightUpdatePeriod": "4s",
            "errorUtilizationPenalty": 0.5,
            "metricNamesForComputingUtilization": ["named_metrics.queue"]}}
            """#
        #expect(try policy(json) as? WeightedRoundRobin == expected)
    }

    @Test("least_request and ring_hash, with and without the suffix")
    func hashAndRequests() throws {
        #expect(
            try policy(#"{"least_request_experimental": {"choiceCount": 3}}"#) as? LeastRequest
                == LeastRequest(choiceCount: 3))
        #expect(try policy(#"{"least_request": null}"#) as? LeastRequest == LeastRequest())
        let json =
            #"{"ring_hash": {"requestHashHeader": "X-Key", "minRingSize": 2, "maxRingSize": 3}}"#
        #expect(
            try policy(json) as? RingHash
                == RingHash(requestHashHeader: "x-key", minRingSize: 2, maxRingSize: 3))
    }

    @Test(
        "the configuration of an unknown policy may have any form",
        arguments: ["[1]", "7", "null"])
    func unknown(config: String) throws {
        #expect(
            try policy(#"{"unknown": \#(config)}, {"round_robin": {}}"#) as? RoundRobin
                == RoundRobin())
    }

    @Test("nested policies")
    func nested() throws {
        let json = #"""
            {"outlier_detection_experimental": {
              "interval": "1s", "baseEjectionTime": "2s", "maxEjectionTime": "3s",
              "maxEjectionPercent": 20,
              "successRateEjection": {"stdevFactor": 1, "enforcementPercentage": 2,
                "minimumHosts": 3, "requestVolume": 4},
              "failurePercentageEjection": {"threshold": 5, "enforcementPercentage": 6,
                "minimumHosts": 7, "requestVolume": 8},
              "childPolicy": [{"priority_experimental": {
                "priorities": ["b", "a"],
                "children": {
                  "a": {"config": [{"round_robin": {}}], "ignoreReresolutionRequests": true},
                  "b": {"config": [{"weighted_target_experimental": {"targets": {
                    "t": {"weight": 9, "childPolicy": [{"random_subsetting_experimental": {
                      "subsetSize": 4, "childPolicy": [{"unknown": {}}, {"pick_first": {}}]}}]}}}}]}
                }}}]}}
            """#
        let subset = RandomSubsetting(subsetSize: 4, policy: PickFirst())
        let priority = Priority(
            children: [
                "a": .init(policy: RoundRobin(), ignoresResolutionRequests: true),
                "b": .init(policy: WeightedTarget(["t": .init(weight: 9, policy: subset)])),
            ], priorities: ["b", "a"])
        var expected = OutlierDetection(policy: priority)
        expected.interval = .seconds(1)
        expected.baseEjectionTime = .seconds(2)
        expected.maxEjectionTime = .seconds(3)
        expected.maxEjectionPercent = 20
        var rate = OutlierDetection.SuccessRateEjection()
        (rate.stdevFactor, rate.enforcementPercentage) = (1, 2)
        (rate.minimumHosts, rate.requestVolume) = (3, 4)
        var failures = OutlierDetection.FailurePercentageEjection()
        (failures.threshold, failures.enforcementPercentage) = (5, 6)
        (failures.minimumHosts, failures.requestVolume) = (7, 8)
        expected.successRateEjection = rate
        expected.failurePercentageEjection = failures
        #expect(try policy(json) as? OutlierDetection == expected)
    }

    @Test(
        "a configuration that is not valid names its field",
        arguments: [
            (
                #"{"least_request_experimental": {"choiceCount": 1}}"#,
                "least_request_experimental.choiceCount: expected an integer above 1, found 1"
            ),
            (
                #"{"ring_hash_experimental": {"minRingSize": 9, "maxRingSize": 8}}"#,
                "ring_hash_experimental.maxRingSize: is smaller than minRingSize, 9"
            ),
            (
                #"{"ring_hash_experimental": {"maxRingSize": 8388609}}"#,
                "ring_hash_experimental.maxRingSize: expected an integer from 1 to 8388608, found 8388609"
            ),
            (
                #"{"ring_hash_experimental": {"requestHashHeader": "a b"}}"#,
                "ring_hash_experimental.requestHashHeader: metadata name 'a b': only a-z, 0-9, '-', '_' and '.' are allowed"
            ),
            (
                #"{"weighted_round_robin": {"errorUtilizationPenalty": -1}}"#,
                "weighted_round_robin.errorUtilizationPenalty: expected a number of 0 or more"
            ),
            (
                #"{"random_subsetting_experimental": {"subsetSize": 0}}"#,
                "random_subsetting_experimental.subsetSize: expected an integer from 1 to 4294967295, found 0"
            ),
            (
                #"{"random_subsetting_experimental": {"subsetSize": 1}}"#,
                "random_subsetting_experimental.childPolicy: is required"
            ),
            (
                #"{"priority_experimental": {"priorities": ["x"]}}"#,
                "priority_experimental.priorities[0]: no child is named 'x'"
            ),
            (
                #"{"weighted_target_experimental": {"targets": {"t": {"weight": 0}}}}"#,
                "weighted_target_experimental.targets.t.weight: expected an integer from 1 to 4294967295, found 0"
            ),
            (
                #"{"outlier_detection_experimental": {"childPolicy": [{"round_robin": {}}], "maxEjectionPercent": 101}}"#,
                "outlier_detection_experimental.maxEjectionPercent: expected an integer from 0 to 100, found 101"
            ),
        ])
    func invalid(json: String, message: String) {
        let error = #expect(throws: RPCError.self) { try policy(json) }
        #expect(error?.message == "loadBalancingConfig[0].\(message)")
    }

    @Test("requestHashHeader with a binary name is refused")
    func binaryHeader() {
        let error = #expect(throws: RPCError.self) {
            try policy(#"{"ring_hash": {"requestHashHeader": "key-bin"}}"#)
        }
        #expect(error?.code == .invalidArgument)
    }
}
