import SwiftletCore
import SwiftletMessages
import SwiftletWellKnown
import Testing

@testable import SwiftletXDS

@Suite("A route configuration")
struct RouteValidationTests {
    private static func check(
        _ routes: [Envoy.Routes.Route], domains: [String] = ["*"],
        features: XDS.Bootstrap.Features = [],
        _ change: (inout Envoy.Routes.RouteConfiguration) -> Void = { _ in }
    ) -> CheckedResource {
        var context = ValidationContext()
        context.features = features
        return Sample.check(
            Sample.routes("r", routes, domains: domains, change), .routeConfiguration, context)
    }

    private static func value(_ checked: CheckedResource) throws -> RouteConfiguration {
        guard case .routeConfiguration(let value)? = checked.resource else {
            throw Unexpected(problem: checked.problem)
        }
        return value
    }

    private struct Unexpected: Error { let problem: String }

    private static func forwarding(_ route: Envoy.Routes.Route) throws -> Forwarding {
        let value = try value(check([route]))
        guard case .forward(let forwarding)? = value.virtualHosts[0].routes.first?.action else {
            throw Unexpected(problem: "no action")
        }
        return forwarding
    }

    @Test(
        "finds the virtual host with the most exact domain",
        arguments: [
            ("a.example.com", 0), ("A.Example.COM", 0), ("b.example.com", 1),
            ("x.b.example.com", 2),
            ("a.example.org", 3), ("a.exam", 4), ("other", 5), ("example.com", 5),
        ])
    func domains(authority: String, index: Int) throws {
        let domains = [
            "a.example.com", "*.example.com", "*.b.example.com", "a.example.*", "a.ex*", "*",
        ]
        let checked = Self.check([]) { message in
            message.virtualHosts = domains.map { domain in
                .with { $0.domains = ["never.\(domain.utf8.count)", domain] }
            }
        }
        let value = try Self.value(checked)
        #expect(value.virtualHost(for: authority) == value.virtualHosts[index])
    }

    @Test("without a matching domain has no virtual host")
    func noDomain() throws {
        let value = try Self.value(Self.check([], domains: ["a", "*.b", "c*"]))
        for authority in ["b", ".b.", "x", "", "c"] {
            #expect(value.virtualHost(for: authority) == nil, "\(authority)")
        }
    }

    @Test(
        "leaves out routes that are not for clients",
        arguments: [
            Sample.match { $0.queryParameters = [.init()] },
            Sample.action { $0.clusterSpecifier = nil },
            Sample.action { $0.clusterSpecifier = .clusterSpecifierPlugin("p") },
        ])
    func leftOut(route: Envoy.Routes.Route) throws {
        let checked = Self.check([route, Sample.route(to: "d")]) { message in
            message.clusterSpecifierPlugins = [
                .with {
                    $0.plugin = .with { $0.name = "p" }
                    $0.isOptional = true
                }
            ]
        }
        let value = try Self.value(checked)
        #expect(value.virtualHosts[0].clusters == ["d"])
    }

    @Test("keeps a route with an action that clients do not have")
    func otherAction() throws {
        let route = Sample.route(to: "c") { $0.action = .nonForwardingAction(.init()) }
        #expect(try Self.value(Self.check([route])).virtualHosts[0].routes[0].action == .other)
    }

    @Test("leaves out clusters with the weight 0")
    func weights() throws {
        let forwarding = try Self.forwarding(
            Sample.action { action in
                action.clusterSpecifier = .weightedClusters(
                    .with {
                        $0.clusters = [("a", 1), ("b", 0), ("c", UInt32.max - 1)].map {
                            name, weight in
                            .with {
                                $0.name = name
                                $0.weight = .init(weight)
                            }
                        }
                    })
            })
        guard case .weighted(let clusters) = forwarding.destination else {
            Issue.record("not weighted")
            return
        }
        #expect(clusters.map(\.name) == ["a", "c"])
    }

    @Test("takes the time limit for the deadline first, and zero as no limit")
    func durations() throws {
        let forwarding = try Self.forwarding(
            Sample.action {
                $0.maxStreamDuration = .with {
                    $0.maxStreamDuration = .init(seconds: 5)
                    $0.grpcTimeoutHeaderMax = .init(seconds: 0)
                }
            })
        #expect(forwarding.maxDuration == .zero)
        #expect(try Self.forwarding(Sample.action { _ in }).maxDuration == nil)
    }

    @Test("reads retry policies with blanks, and bounds them")
    func retries() throws {
        func retry(_ change: (inout Envoy.Routes.RetryPolicy) -> Void) throws -> RetryPolicy? {
            try Self.forwarding(Sample.action { $0.retryPolicy = .with(change) }).retry
        }
        let policy = try retry {
            $0.retryOn = "cancelled , 5xx,  unavailable"
            $0.numRetries = .init(UInt32.max)
            $0.retryBackOff = .with { $0.baseInterval = .init(seconds: 0, nanos: 10_000) }
        }
        #expect(policy?.retryableCodes == [.cancelled, .unavailable] && policy?.maxAttempts == 5)
        #expect(
            policy?.initialBackoff == .milliseconds(1) && policy?.maxBackoff == .milliseconds(1))
        let plain = try retry { $0.retryOn = "internal" }
        #expect(plain?.maxAttempts == 2 && plain?.initialBackoff == .milliseconds(25))
        #expect(plain?.maxBackoff == .milliseconds(250) && plain?.backoffMultiplier == 2)
        #expect(try retry { $0.retryOn = "5xx" } == nil)
    }

    @Test("uses a virtual host's retries where a route has none")
    func hostRetries() throws {
        let off = Sample.action { $0.retryPolicy = .with { $0.retryOn = "5xx" } }
        let checked = Self.check([Sample.route(to: "c"), off]) {
            $0.virtualHosts[0].retryPolicy = .with { $0.retryOn = "unavailable" }
        }
        let routes = try Self.value(checked).virtualHosts[0].routes
        let retries = routes.map { route -> RetryPolicy? in
            if case .forward(let forwarding) = route.action { forwarding.retry } else { nil }
        }
        #expect(retries[0]?.retryableCodes == [.unavailable] && retries[1] == nil)
    }

    @Test("rewrites authorities only if the server is trusted")
    func authorities() throws {
        let route = Sample.action { $0.hostRewriteSpecifier = .autoHostRewrite(.init(true)) }
        #expect(try !Self.forwarding(route).rewritesAuthority)
        let value = try Self.value(Self.check([route], features: .trusted))
        guard case .forward(let forwarding) = value.virtualHosts[0].routes[0].action else { return }
        #expect(forwarding.rewritesAuthority)
    }

    @Test(
        "is rejected with every violation",
        arguments: [
            (Sample.route(to: ""), "routes[0].route.cluster: is empty"),
            (Sample.route(to: "c") { $0.match = nil }, "routes[0].match: is required"),
            (Sample.match { $0.pathSpecifier = nil }, "match.path_specifier: is required"),
            (
                Sample.match { $0.pathSpecifier = .safeRegex(.with { $0.regex = "(a" }) },
                "match.safe_regex: '(a' is no regular expression: missing ')'"
            ),
            (
                Sample.match { $0.headers = [.with { $0.name = "h" }] },
                "headers[0].header_match_specifier: is required"
            ),
            (
                Sample.match {
                    $0.headers = [.with { $0.headerMatchSpecifier = .presentMatch(true) }]
                },
                "headers[0].name: is empty"
            ),
            (
                Sample.match {
                    $0.headers = [
                        .with {
                            $0.name = "h"
                            $0.headerMatchSpecifier = .rangeMatch(.with { $0.end = -1 })
                        }
                    ]
                }, "range_match: ends at -1, before its start 0"
            ),
            (
                Sample.match {
                    $0.runtimeFraction = .with {
                        $0.defaultValue = .with { $0.denominator = .init(rawValue: 9) }
                    }
                }, "runtime_fraction: the denominator 9 is not known"
            ),
            (
                Sample.action { $0.clusterSpecifier = .weightedClusters(.init()) },
                "clusters: none has a weight above 0"
            ),
            (
                Sample.action { action in
                    action.clusterSpecifier = .weightedClusters(
                        .with {
                            $0.clusters = ["a", "b"].map { name in
                                .with {
                                    $0.name = name
                                    $0.weight = .init(UInt32.max)
                                }
                            }
                        })
                }, "the sum of the weights, 8589934590, is above 4294967295"
            ),
            (
                Sample.action { $0.clusterSpecifier = .clusterSpecifierPlugin("q") },
                "cluster_specifier_plugin: 'q' is not listed"
            ),
            (
                Sample.action { $0.retryPolicy = .with { $0.numRetries = .init(0) } },
                "retry_policy.num_retries: 0 is below 1"
            ),
            (
                Sample.action { $0.retryPolicy = .with { $0.retryBackOff = .init() } },
                "retry_back_off.base_interval: is required"
            ),
            (
                Sample.action {
                    $0.retryPolicy = .with {
                        $0.retryBackOff = .with {
                            $0.baseInterval = .init(seconds: 2)
                            $0.maxInterval = .init(seconds: 1)
                        }
                    }
                }, "max_interval: 1.0 seconds is not above zero and at least 2.0 seconds"
            ),
            (
                Sample.action {
                    $0.maxStreamDuration = .with {
                        $0.maxStreamDuration = .init(seconds: 315_576_000_001)
                    }
                }, "max_stream_duration: 315576000001 s and 0 ns are no duration"
            ),
            (
                Sample.action {
                    $0.hashPolicy = [
                        .with {
                            $0.policySpecifier = .header(
                                .with {
                                    $0.headerName = "h"
                                    $0.regexRewrite = .with {
                                        $0.pattern = .with { $0.regex = "a" }
                                        $0.substitution = "\\1"
                                    }
                                })
                        }
                    ]
                }, "regex_rewrite.substitution: the substitution refers to group 1"
            ),
            (
                Sample.route(to: "c") {
                    $0.typedPerFilterConfig = ["f": Sample.any(Envoy.Core.Node())]
                }, "typed_per_filter_config: 'f': the type 'envoy.config.core.v3.Node' is not known"
            ),
        ])
    func violations(route: Envoy.Routes.Route, part: String) {
        let checked = Self.check([route])
        #expect(checked.resource == nil)
        #expect(checked.problem.contains(part), "\(checked.problem)")
    }

    @Test("bounds the memory of all its regular expressions")
    func regexMemory() {
        let route = Sample.match {
            $0.pathSpecifier = .safeRegex(.with { $0.regex = "(abc){700}" })
        }
        #expect(Self.check(Array(repeating: route, count: 20)).problem.isEmpty)
        for regex in ["(abc){700}", "(abc){1000}"] {
            let route = Sample.match { $0.pathSpecifier = .safeRegex(.with { $0.regex = regex }) }
            let problem = Self.check(Array(repeating: route, count: 1_000)).problem
            #expect(problem.contains("the resource has too many large regular expressions"))
        }
    }

    @Test("needs domains with a star at one end only", arguments: ["", "a*b", "*a*", "**", "a**"])
    func wrongDomains(domain: String) {
        #expect(Self.check([], domains: [domain]).problem.contains("is no pattern of a domain"))
        #expect(Self.check([], domains: []).problem.contains("domains: is empty"))
    }

    @Test("refuses plug-ins that it does not know, unless they are optional")
    func plugins() {
        let checked = Self.check([]) { message in
            message.clusterSpecifierPlugins = [
                .with { $0.plugin = .with { $0.name = "p" } },
                .with { $0.plugin = .with { $0.name = "p" } },
            ]
        }
        #expect(checked.problem.contains("cluster_specifier_plugins[0].extension.typed_config"))
        #expect(
            checked.problem.contains("cluster_specifier_plugins[1].extension.name: 'p' is repeated")
        )
    }

    @Test(
        "skips overrides of servers' filters, and unknown ones that are optional, and knows a disabled filter"
    )
    func overrides() throws {
        let access = Google.Protobuf.AnyMessage.with {
            $0.typeURL = "type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute"
        }
        let route = Sample.route(to: "c") {
            $0.typedPerFilterConfig = [
                "v": access,
                "w": Sample.any(Envoy.Routes.FilterConfig.with { $0.config = access }),
                "x": Sample.any(
                    Envoy.Routes.FilterConfig.with {
                        $0.config = Sample.any(Envoy.Core.Node())
                        $0.isOptional = true
                    }),
                "y": Sample.any(Envoy.Routes.FilterConfig.with { $0.disabled = true }),
                "z": Sample.any(
                    Envoy.Filters.StatefulSessionPerRoute.with { $0.override = .disabled(true) }),
            ]
        }
        let value = try Self.value(Self.check([route])).virtualHosts[0].routes[0]
        #expect(value.filterOverrides == ["y": .disabled, "z": .statefulSession(nil)])
    }
}
