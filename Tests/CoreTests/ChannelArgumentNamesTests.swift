import SwiftletBalancing
import Testing

@testable import SwiftletCore

@Suite("Channel arguments under the names of other clients")
struct ChannelArgumentNamesTests {
    init() { ServiceConfigText.register() }

    private struct Case: Sendable {
        let name: String
        let value: ChannelArguments.Value
        let isSet: @Sendable (ChannelArguments) -> Bool

        init(
            _ name: String, _ value: ChannelArguments.Value,
            _ isSet: @escaping @Sendable (ChannelArguments) -> Bool
        ) {
            self.name = name
            self.value = value
            self.isSet = isSet
        }
    }

    private static let cases = [
        Case("grpc.dns_min_time_between_resolutions_ms", 5_000) {
            $0.minResolutionInterval == .seconds(5)
        },
        Case("grpc.service_config", #"{"loadBalancingConfig":[{"round_robin":{}}]}"#) {
            $0.serviceConfig == ServiceConfig(balancing: RoundRobin())
        },
        Case("grpc.lb_policy_name", "round_robin") { $0.balancing is RoundRobin },
        Case("grpc.lb_policy_name", "least_request") { $0.balancing is LeastRequest },
        Case("grpc.max_connections_per_subchannel_cap", 3) {
            $0.maxConfiguredConnectionCount == 3
        },
        Case("grpc.enable_retries", 0) { !$0.usesRetryPolicies },
        Case("grpc.enable_retries", true) { $0.usesRetryPolicies },
        Case("grpc.inhibit_health_checking", 1) { !$0.checksHealth },
        Case("grpc.inhibit_health_checking", false) { $0.checksHealth },
        Case("grpc.http_proxy", "http://proxy:3128") {
            $0.proxy == (try? .server(ProxyServer("http://proxy:3128")))
        },
        Case("grpc.enable_http_proxy", 0) { $0.proxy == .none },
        Case("grpc.enable_http_proxy", 1) { $0.proxy == .environment },
    ]

    @Test("set the property that means the same")
    func known() throws {
        for one in Self.cases {
            let arguments = try ChannelArguments([one.name: one.value])
            #expect(one.isSet(arguments), "\(one.name) = \(one.value)")
        }
    }

    @Test("can forbid a proxy even if another argument names one, in any order")
    func forbiddenProxy() throws {
        let both = try ChannelArguments([
            "grpc.enable_http_proxy": 0, "grpc.http_proxy": "http://proxy:3128",
        ])
        #expect(both.proxy == .none)
        var arguments = try ChannelArguments(["grpc.http_proxy": "http://proxy:3128"])
        try arguments.set("grpc.enable_http_proxy", to: false)
        #expect(arguments.proxy == .none)
        try arguments.set("grpc.enable_http_proxy", to: true)
        #expect(arguments.proxy == .environment)
    }

    @Test(
        "report the problem of an invalid value",
        arguments: [
            ("grpc.service_config", "{", "channel argument 'grpc.service_config': "),
            (
                "grpc.service_config", 1,
                "channel argument 'grpc.service_config' cannot be integer(1)"
            ),
            (
                "grpc.lb_policy_name", "best",
                "channel argument 'grpc.lb_policy_name': unknown balancing policy 'best'"
            ),
            (
                "grpc.max_connections_per_subchannel_cap", 0,
                "channel argument 'grpc.max_connections_per_subchannel_cap' cannot be "
            ),
            ("grpc.enable_retries", 2, "channel argument 'grpc.enable_retries' cannot be "),
            (
                "grpc.http_proxy", "proxy",
                "channel argument 'grpc.http_proxy': the proxy's URL is malformed: "
            ),
            ("grpc.dscp", 1, "channel argument 'grpc.dscp' is not supported"),
            ("grpc.nothing", 1, "unknown channel argument 'grpc.nothing'"),
        ] as [(String, ChannelArguments.Value, String)])
    func wrong(name: String, value: ChannelArguments.Value, message: String) {
        let error = #expect(throws: RPCError.self) { try ChannelArguments([name: value]) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.hasPrefix(message) == true)
    }

    @Test("are equal if the policies are equal")
    func equality() {
        var (one, other) = (ChannelArguments(), ChannelArguments())
        one.balancing = RoundRobin()
        #expect(one != other)
        other.balancing = RoundRobin()
        #expect(one == other)
        #expect(one.hashValue == other.hashValue)
    }

    @Test("a scheme that is built in or reserved cannot be registered, and the error says which")
    func schemes() {
        for (scheme, word) in [("dns", "built in"), ("XDS", "reserved"), ("vsock", "built in")] {
            let error = #expect(throws: RPCError.self) {
                try Resolvers.register(scheme) { _ in FixedResolver(endpoints: []) }
            }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message.hasPrefix("the scheme '\(scheme)' is \(word)") == true)
        }
    }
}
