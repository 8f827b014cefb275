import SwiftletCore
import Testing

@testable import SwiftletBalancing

@Suite("A service config in JSON")
struct ServiceConfigJSONTests {
    @Test("is accepted with fields that are not known, and lists them")
    func warnings() throws {
        let config = try ServiceConfig(
            json: """
                {
                    "loadBalancingConfig": [
                        {"somebodys_policy": {"any": {"thing": 1}}}, {"round_robin": {}},
                        {"pick_first": {"shuffle": true}}
                    ],
                    "loadBalancingPolicy": "pick_first",
                    "methodConfig": [{
                        "name": [{"service": "a.B", "metod": "C"}],
                        "timeout": "1s",
                        "retryPolcy": {"maxAttempts": 3}
                    }],
                    "healthCheckConfig": {"serviceName": "x"},
                    "Timeout": "2s"
                }
                """)
        #expect(config.balancing is RoundRobin)
        #expect(
            config.warnings.map { String($0.prefix { $0 != ":" }) } == [
                "Timeout", "methodConfig[0].name[0].metod", "methodConfig[0].retryPolcy",
            ])
        #expect(config.warnings[0] == "Timeout: the field is not known, so it has no effect")
        var plain = ServiceConfig(balancing: RoundRobin())
        plain.methods = config.methods
        plain.healthCheckServiceName = "x"
        #expect(config == plain)
    }

    @Test("contains every field of service_config.md")
    func everyField() throws {
        let config = try ServiceConfig(
            json: """
                {
                  "loadBalancingConfig": [{"unknown_policy": {"a": 1}}, {"round_robin": {}}],
                  "methodConfig": [{
                    "name": [{"service": "s.A", "method": "M"}, {"service": "s.B"}],
                    "waitForReady": true,
                    "timeout": "1.000340012s",
                    "maxRequestMessageBytes": 0,
                    "maxResponseMessageBytes": 4194304,
                    "retryPolicy": {
                      "maxAttempts": 4, "initialBackoff": "0.2s", "maxBackoff": "5s",
                      "backoffMultiplier": 3, "retryableStatusCodes": ["UNAVAILABLE", "aborted", 8]
                    }
                  }, {
                    "name": [{}],
                    "hedgingPolicy": {
                      "maxAttempts": 3, "hedgingDelay": "0.5s", "nonFatalStatusCodes": ["Internal"]
                    }
                  }],
                  "retryThrottling": {"maxTokens": 10, "tokenRatio": 0.1},
                  "healthCheckConfig": {"serviceName": "s.A"},
                  "connectionScaling": {"maxConnectionsPerSubchannel": 3},
                  "aFieldOfTomorrow": [1, 2]
                }
                """)
        #expect(config.balancing is RoundRobin)
        #expect(config.methods.count == 2)
        let first = config.methods[0]
        #expect(first.names == [.method(service: "s.A", method: "M"), .service("s.B")])
        #expect(first.waitForReady == true)
        #expect(first.timeout == .nanoseconds(1_000_340_012))
        #expect(first.maxRequestByteCount == 0)
        #expect(first.maxResponseByteCount == 4_194_304)
        var retry = RetryPolicy(
            maxAttempts: 4, retryableCodes: [.unavailable, .aborted, .resourceExhausted])
        retry.initialBackoff = .milliseconds(200)
        retry.maxBackoff = .seconds(5)
        retry.backoffMultiplier = 3
        #expect(first.retry == retry)
        var hedging = HedgingPolicy(maxAttempts: 3)
        hedging.delay = .milliseconds(500)
        hedging.nonFatalCodes = [.internal]
        #expect(config.methods[1].names == [.all])
        #expect(config.methods[1].hedging == hedging)
        #expect(config.retryThrottling == RetryThrottling(maxTokens: 10, tokenRatio: 0.1))
        #expect(config.healthCheckServiceName == "s.A")
        #expect(config.maxConnectionsPerSubchannel == 3)
    }

    @Test("two configs are equal only if all of their settings are")
    func equality() {
        let changes: [(inout ServiceConfig) -> Void] = [
            { $0.balancing = RoundRobin() }, { $0.methods = [MethodConfig([.all])] },
            { $0.retryThrottling = RetryThrottling(maxTokens: 10, tokenRatio: 0.1) },
            { $0.healthCheckServiceName = "s.A" }, { $0.maxConnectionsPerSubchannel = 3 },
        ]
        for change in changes {
            var config = ServiceConfig()
            change(&config)
            #expect(config != ServiceConfig())
            #expect(config == config)
        }
    }

    @Test("an empty service config is valid, and null is the same as not present")
    func empty() throws {
        for json in [
            "{}", #"{"methodConfig": null, "loadBalancingConfig": null, "retryThrottling": null}"#,
        ] {
            let config = try ServiceConfig(json: json)
            #expect(config.balancing == nil && config.methods.isEmpty)
            #expect(config.retryThrottling == nil && config.healthCheckServiceName == nil)
        }
    }

    @Test("a MethodConfig without names is skipped; an empty method is the whole service")
    func names() throws {
        let config = try ServiceConfig(
            json:
                #"{"methodConfig": [{"timeout": "1s"}, {"name": [{"service": "s", "method": ""}]}]}"#
        )
        #expect(config.methods.map(\.names) == [[.service("s")]])
    }

    @Test("the deprecated loadBalancingPolicy counts in any case, unless there is a config list")
    func deprecatedPolicy() throws {
        #expect(
            try ServiceConfig(json: #"{"loadBalancingPolicy": "ROUND_ROBIN"}"#).balancing
                is RoundRobin)
        let both = #"""
            {"loadBalancingPolicy": "round_robin",
             "loadBalancingConfig": [{"pick_first": {"shuffleAddressList": true}}]}
            """#
        let policy = try ServiceConfig(json: both).balancing as? PickFirst
        #expect(policy == PickFirst(shuffleAddressList: true))
    }

    private static let retry = #"""
        "maxAttempts": 2, "initialBackoff": "1s", "maxBackoff": "1s", "backoffMultiplier": 1,
        "retryableStatusCodes": [14]
        """#

    @Test(
        "a field that is not valid is an error that names it",
        arguments: [
            (
                #""methodConfig": [{}, {}, {"retryPolicy": {"maxAttempts": 1}}]"#,
                "methodConfig[2].retryPolicy.maxAttempts: expected an integer above 1, found 1"
            ),
            (
                #""methodConfig": [{"retryPolicy": {"maxAttempts": 2.5}}]"#,
                "methodConfig[0].retryPolicy.maxAttempts: expected an integer above 1, found 2.5"
            ),
            (
                #""methodConfig": [{"retryPolicy": {"maxAttempts": "2"}}]"#,
                "methodConfig[0].retryPolicy.maxAttempts: expected an integer above 1, found \"2\""
            ),
            (
                #""methodConfig": [{"retryPolicy": {}}]"#,
                "methodConfig[0].retryPolicy.maxAttempts: is required"
            ),
            (
                #""methodConfig": [{"retryPolicy": {\#(retry), "maxBackoff2": 1, "hedgingPolicy": 1}, "hedgingPolicy": {"maxAttempts": 2}}]"#,
                "methodConfig[0].hedgingPolicy: is not allowed together with a retryPolicy"
            ),
            (
                #""methodConfig": [{"retryPolicy": {"maxAttempts": 2, "retryableStatusCodes": []}}]"#,
                "methodConfig[0].retryPolicy.retryableStatusCodes: expected at least one status code"
            ),
            (
                #""methodConfig": [{"retryPolicy": {"maxAttempts": 2, "retryableStatusCodes": [14, 17]}}]"#,
                "methodConfig[0].retryPolicy.retryableStatusCodes[1]: expected a status code, found 17"
            ),
            (
                #""methodConfig": [{"retryPolicy": {"maxAttempts": 2, "retryableStatusCodes": ["GONE"]}}]"#,
                "methodConfig[0].retryPolicy.retryableStatusCodes[0]: expected a status code, found \"GONE\""
            ),
            (
                #""methodConfig": [{"retryPolicy": {"maxAttempts": 2, "retryableStatusCodes": [14], "initialBackoff": "0s"}}]"#,
                "methodConfig[0].retryPolicy.initialBackoff: expected a duration above 0"
            ),
            (
                #""methodConfig": [{"hedgingPolicy": {"maxAttempts": 2, "hedgingDelay": 1}}]"#,
                "methodConfig[0].hedgingPolicy.hedgingDelay: expected a duration such as \"1.5s\", found 1"
            ),
            (
                #""methodConfig": [{"timeout": "-1s"}]"#,
                "methodConfig[0].timeout: expected a duration such as \"1.5s\", found \"-1s\""
            ),
            (
                #""methodConfig": [{"waitForReady": "yes"}]"#,
                "methodConfig[0].waitForReady: expected true or false, found \"yes\""
            ),
            (
                #""methodConfig": [{"maxRequestMessageBytes": -1}]"#,
                "methodConfig[0].maxRequestMessageBytes: expected an integer from 0 to 4294967295, found -1"
            ),
            (#""methodConfig": {}"#, "methodConfig: expected an array, found an object"),
            (#""methodConfig": [1]"#, "methodConfig[0]: expected an object, found 1"),
            (
                #""methodConfig": [{"name": [{"method": "M"}]}]"#,
                "methodConfig[0].name[0].service: is required if a method is given"
            ),
            (
                #""methodConfig": [{"name": [{"service": "s"}]}, {"name": [{}, {"service": "s", "method": null}]}]"#,
                "methodConfig[1].name[1]: is the same as methodConfig[0].name[0]"
            ),
            (
                #""retryThrottling": {"maxTokens": 1001, "tokenRatio": 1}"#,
                "retryThrottling.maxTokens: expected an integer from 1 to 1000, found 1001"
            ),
            (
                #""retryThrottling": {"maxTokens": 10, "tokenRatio": 0.0009}"#,
                "retryThrottling.tokenRatio: expected a number of 0.001 or more"
            ),
            (#""retryThrottling": {"maxTokens": 10}"#, "retryThrottling.tokenRatio: is required"),
            (
                #""loadBalancingConfig": [{"unknown1": {}}, {"unknown2": {}}]"#,
                "loadBalancingConfig: none of these balancing policies is known: 'unknown1', 'unknown2'"
            ),
            (#""loadBalancingConfig": []"#, "loadBalancingConfig: the list is empty"),
            (
                #""loadBalancingConfig": [{"round_robin": {}, "pick_first": {}}]"#,
                "loadBalancingConfig[0]: expected one policy, found 2"
            ),
            (
                #""loadBalancingConfig": [{"pick_first": {"shuffleAddressList": 1}}]"#,
                "loadBalancingConfig[0].pick_first.shuffleAddressList: expected true or false, found 1"
            ),
            (
                #""loadBalancingPolicy": "UnknownPolicy""#,
                "loadBalancingPolicy: unknown balancing policy 'UnknownPolicy'"
            ),
            (
                #""connectionScaling": {"maxConnectionsPerSubchannel": 0}"#,
                "connectionScaling.maxConnectionsPerSubchannel: expected an integer from 1 to 4294967295, found 0"
            ),
        ])
    func invalidFields(fields: String, message: String) {
        let error = #expect(throws: RPCError.self) { try ServiceConfig(json: "{\(fields)}") }
        #expect(error?.message == message)
        #expect(error?.code == .invalidArgument)
    }

    @Test("text that is not an object is refused")
    func noObject() {
        let error = #expect(throws: RPCError.self) { try ServiceConfig(json: "[]") }
        #expect(error?.message == "service config: expected an object, found an array")
    }

    @Test("a program's own policy is parsed by its own rule")
    func ownPolicy() throws {
        BalancingPolicies.register(name: "test.own") { (config) throws(RPCError) in
            guard let size = try config.integer("size", in: 1...9) else {
                throw config.error("size", "is required")
            }
            return OwnPolicy(size: size)
        }
        let config = try ServiceConfig(
            json: #"{"loadBalancingConfig": [{"test.own": {"size": 3}}]}"#)
        #expect(config.balancing as? OwnPolicy == OwnPolicy(size: 3))
        let error = #expect(throws: RPCError.self) {
            try ServiceConfig(json: #"{"loadBalancingConfig": [{"test.own": {}}]}"#)
        }
        #expect(error?.message == "loadBalancingConfig[0].test.own.size: is required")
    }

    private struct OwnPolicy: BalancingPolicy {
        var size: Int
        var name: String { "test.own" }
        func makeBalancer() -> any Balancer { PickFirst().makeBalancer() }
    }
}
