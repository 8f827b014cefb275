import SwiftletMessages
import Testing

@testable import SwiftletXDS

@Suite("A listener")
struct ListenerValidationTests {
    private typealias Manager = Envoy.ConnectionManager.HttpConnectionManager

    private static func check(_ change: (inout Manager) -> Void) -> CheckedResource {
        Sample.check(Sample.listener("l", change), .listener)
    }

    @Test("names its routes, its filters and its time limit")
    func values() throws {
        let checked = Self.check { manager in
            manager.commonHTTPProtocolOptions = .with { $0.maxStreamDuration = .init(seconds: 3) }
            manager.httpFilters.insert(
                Sample.filter(
                    "fault",
                    Envoy.Filters.HTTPFault.with {
                        $0.abort = .with {
                            $0.errorType = .grpcStatus(14)
                            $0.percentage = .with { $0.numerator = 50 }
                        }
                    }), at: 0)
        }
        #expect(checked.name?.text == "l" && checked.problem.isEmpty)
        guard case .listener(let listener)? = checked.resource else {
            Issue.record("\(checked)")
            return
        }
        #expect(listener.maxDuration == .seconds(3))
        #expect(listener.filters.map(\.name) == ["fault", "router"])
        guard case .fault(let fault) = listener.filters[0].config else {
            Issue.record("not a fault")
            return
        }
        #expect(
            fault.abort == .status(14) && fault.aborted.numerator == 50
                && fault.aborted.denominator == 100 && fault.delay == nil)
        guard case .named(let name) = listener.routes else {
            Issue.record("not named")
            return
        }
        #expect(name.text == "routes")
    }

    @Test("can have its routes inside, which are checked with their path")
    func inline() {
        let good = Self.check { $0.routeSpecifier = .routeConfig(Sample.routes("", [])) }
        #expect(good.resource != nil, "\(good.problem)")
        let bad = Self.check {
            $0.routeSpecifier = .routeConfig(Sample.routes("", [Sample.route(to: "")]))
        }
        #expect(
            bad.problem
                == "api_listener.route_config.virtual_hosts[0].routes[0].route.cluster: is empty")
        #expect(bad.resource == nil && bad.name?.text == "l")
    }

    @Test("skips an unknown filter only if it is optional")
    func unknownFilters() {
        func check(isOptional: Bool) -> CheckedResource {
            Self.check { manager in
                var filter = Sample.filter("rbac", Envoy.Core.Node())
                filter.isOptional = isOptional
                manager.httpFilters.insert(filter, at: 0)
            }
        }
        #expect(check(isOptional: true).problem.isEmpty)
        #expect(check(isOptional: false).problem.contains("http_filters[0].typed_config: the type"))
    }

    private static let wrong:
        [(@Sendable (inout Envoy.ConnectionManager.HttpConnectionManager) -> Void, String)] = [
            ({ $0.routeSpecifier = nil }, "route_specifier: must be 'rds' or 'route_config'"),
            ({ $0.routeSpecifier = .scopedRoutes(.init()) }, "route_specifier: must be"),
            ({ $0.routeSpecifier = .rds(.init()) }, "rds.config_source: must be 'ads' or 'self'"),
            ({ $0.routeSpecifier = .rds(.init()) }, "rds.route_config_name: is empty"),
            ({ $0.xffNumTrustedHops = 2 }, "xff_num_trusted_hops: is 2, not 0"),
            ({ $0.originalIpDetectionExtensions = [.init()] }, "original_ip_detection_extensions"),
            ({ $0.httpFilters = [] }, "http_filters: has no router"),
            ({ $0.httpFilters += $0.httpFilters }, "http_filters[1].name: 'router' is repeated"),
            (
                { $0.httpFilters.append(Sample.filter("f", Envoy.Filters.HTTPFault())) },
                "http_filters: the router 'router' is not the last one"
            ),
            ({ $0.httpFilters[0].name = "" }, "http_filters[0].name: is empty"),
            ({ $0.httpFilters[0].configType = nil }, "typed_config: is required for 'router'"),
            (
                {
                    $0.commonHTTPProtocolOptions = .with {
                        $0.maxStreamDuration = .init(seconds: -1)
                    }
                }, "max_stream_duration: -1 s and 0 ns are no duration of zero or more"
            ),
            (
                {
                    let fault = Envoy.Filters.HTTPFault.with {
                        $0.abort = .with { $0.errorType = .grpcStatus(17) }
                    }
                    $0.httpFilters.insert(Sample.filter("f", fault), at: 0)
                }, "http_filters[0].typed_config.abort.grpc_status: 17 is not from 0 to 16"
            ),
            (
                {
                    let session = Envoy.Filters.StatefulSession.with {
                        $0.sessionState = .with { $0.typedConfig = Sample.any(Envoy.Core.Node()) }
                    }
                    $0.httpFilters.insert(Sample.filter("s", session), at: 0)
                }, "session_state.typed_config: is of type"
            ),
        ]

    @Test(
        "is rejected with every violation",
        arguments: wrong)
    func violations(
        change: @Sendable (inout Envoy.ConnectionManager.HttpConnectionManager) -> Void,
        part: String
    ) {
        let checked = Self.check(change)
        #expect(checked.resource == nil && checked.name?.text == "l")
        #expect(checked.problem.contains(part), "\(checked.problem)")
    }

    @Test("has the name of its wrapper")
    func wrapper() {
        let inner = Sample.any(Sample.listener("inner"))
        func wrapped(_ name: String, _ any: Google.Protobuf.AnyMessage?) -> CheckedResource {
            Sample.check(
                Envoy.Discovery.Resource.with {
                    $0.name = name
                    $0.resource = any
                }, .listener)
        }
        #expect(wrapped("outer", inner).name?.text == "outer")
        #expect(wrapped("outer", inner).bytes == inner.value)
        #expect(wrapped("", inner).name?.text == "inner")
        #expect(wrapped("outer", nil).problem.contains("is of type ''"))
        let nested = wrapped(
            "outer",
            Sample.any(
                Envoy.Discovery.Resource.with {
                    $0.name = "x"
                    $0.resource = inner
                }))
        #expect(nested.resource == nil && nested.name?.text == "outer")
    }

    @Test("of another type, or of rubbish, is rejected without a name")
    func rubbish() {
        let other = Sample.check(Sample.cluster("c"), .listener)
        #expect(other.name == nil && other.problem.contains("is of type"))
        var any = Sample.any(Sample.listener("l"))
        for count in 0..<any.value.count {
            var cut = any
            cut.value.removeLast(any.value.count - count)
            _ = CheckedResource(cut, of: .listener, .init())
        }
        any.value = [0xff]
        let checked = CheckedResource(any, of: .listener, .init())
        #expect(checked.name == nil && checked.problem.contains("is no valid"))
    }

    @Test("with very many violations has a bounded text")
    func manyViolations() {
        let checked = Self.check { manager in
            let filter = Envoy.ConnectionManager.HttpFilter()
            manager.httpFilters = Array(repeating: filter, count: 10_000)
        }
        #expect(checked.problem.contains("more"))
        #expect(checked.problem.utf8.count < 6_000)
    }
}
