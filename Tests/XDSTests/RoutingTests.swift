import SwiftletBalancing
import SwiftletCore
import SwiftletMessages
import SwiftletTransport
import SwiftletWellKnown
import TestSupport
import Testing

@testable import SwiftletXDS

@Suite("The route of a call")
struct RoutingTests {
    private struct Unexpected: Error { let problem: String }

    private static func table(_ routes: [Envoy.Routes.Route]) throws -> RouteTable {
        let checked = Sample.check(Sample.routes("r", routes), .routeConfiguration)
        guard case .routeConfiguration(let value)? = checked.resource else {
            throw Unexpected(problem: checked.problem)
        }
        return RouteTable(value.virtualHosts[0])
    }

    private static func cluster(
        _ table: RouteTable, _ path: String = "/s/m", _ metadata: Metadata = [:],
        random: Draw = Draw()
    ) -> String? {
        let call = CallHeaders(path: path, metadata: metadata)
        var random = random
        let decision = table.decide(call, random: &random).decision
        if case .forward(let end) = decision { return table.ends[end].cluster.string }
        return nil
    }

    @Test(
        "is the first one whose path matches",
        arguments: [
            ("/a/x", "exact"), ("/a/y", "prefix"), ("/A/Y", "none"), ("/b/Y", "case"),
            ("/c/12", "regex"), ("/c/123", "none"), ("", "none"),
        ])
    func paths(path: String, cluster: String) throws {
        let table = try Self.table([
            Sample.match(to: "exact") { $0.pathSpecifier = .path("/a/x") },
            Sample.route(prefix: "/a/", to: "prefix"),
            Sample.match(to: "case") {
                $0.pathSpecifier = .path("/B/y")
                $0.caseSensitive = .init(false)
            },
            Sample.match(to: "regex") {
                $0.pathSpecifier = .safeRegex(.with { $0.regex = "/c/\\d\\d" })
            },
            Sample.route(to: "none"),
        ])
        #expect(Self.cluster(table, path) == cluster)
    }

    private typealias Specifier = Envoy.Routes.HeaderMatcher.HeaderMatchSpecifier

    @Test(
        "depends on headers",
        arguments: [
            (.exactMatch("ab"), "ab", true, false), (.exactMatch("ab"), "abc", false, true),
            (.exactMatch("ab"), nil, false, false), (.prefixMatch("a"), "ab", true, false),
            (.prefixMatch(""), "", true, false), (.suffixMatch("b"), "ab", true, false),
            (.suffixMatch("abc"), "bc", false, true), (.containsMatch("aab"), "aaab", true, false),
            (.containsMatch("aab"), "aacab", false, true), (.containsMatch(""), "x", true, false),
            (.safeRegexMatch(.with { $0.regex = "a+" }), "aa", true, false),
            (.safeRegexMatch(.with { $0.regex = "a+" }), "aab", false, true),
            (.safeRegexMatch(.with { $0.regex = "a*" }), nil, false, false),
            (
                .rangeMatch(
                    .with {
                        $0.start = -5; $0.end = 5
                    }), "-5", true, false
            ),
            (
                .rangeMatch(
                    .with {
                        $0.start = -5; $0.end = 5
                    }), "5", false, true
            ),
            (.rangeMatch(.with { $0.end = 5 }), "1.5", false, true),
            (.rangeMatch(.with { $0.end = 5 }), "99999999999999999999999", false, true),
            (.presentMatch(true), "", true, false), (.presentMatch(true), nil, false, true),
            (.presentMatch(false), "x", false, true), (.presentMatch(false), nil, true, false),
            (
                .stringMatch(
                    .with {
                        $0.matchPattern = .contains("LO"); $0.ignoreCase = true
                    }),
                "hello", true, false
            ),
            (.stringMatch(.with { $0.matchPattern = .suffix("LO") }), "hello", false, true),
        ] as [(Envoy.Routes.HeaderMatcher.HeaderMatchSpecifier, String?, Bool, Bool)])
    func headers(
        specifier: Envoy.Routes.HeaderMatcher.HeaderMatchSpecifier, value: String?, matches: Bool,
        matchesInverted: Bool
    ) throws {
        var metadata = Metadata()
        if let value { metadata.append(value, for: "h") }
        for (isInverted, expected) in [(false, matches), (true, matchesInverted)] {
            let table = try Self.table([
                Sample.match {
                    $0.headers = [
                        .with {
                            $0.name = "H"
                            $0.headerMatchSpecifier = specifier
                            $0.invertMatch = isInverted
                        }
                    ]
                }
            ])
            #expect((Self.cluster(table, metadata: metadata) != nil) == expected)
        }
    }

    private static func cluster(_ table: RouteTable, metadata: Metadata) -> String? {
        cluster(table, "/s/m", metadata)
    }

    @Test("sees repeated headers as one, and some headers not as the program sets them")
    func specialHeaders() throws {
        func isSeen(_ name: String, as text: String, _ metadata: Metadata) throws -> Bool {
            let table = try Self.table([
                Sample.match {
                    $0.headers = [
                        .with {
                            $0.name = name
                            $0.headerMatchSpecifier = .exactMatch(text)
                        }
                    ]
                }
            ])
            return Self.cluster(table, metadata: metadata) != nil
        }
        var twice: Metadata = ["a": "1"]
        twice.append("2", for: "a")
        #expect(try isSeen("a", as: "1,2", twice))
        #expect(try isSeen(":path", as: "/s/m", [:]))
        #expect(try isSeen("content-type", as: "application/grpc", [:]))
        var binary = Metadata()
        binary.append(bytes: [0x61], for: "x-bin")
        #expect(try !isSeen("x-bin", as: "a", binary))
        #expect(try !isSeen("x-bin", as: "YQ", binary))
        #expect(try !isSeen("user-agent", as: "", [:]))
    }

    @Test("matches a fraction of the calls; the fraction 0 matches none")
    func fractions() throws {
        func table(_ numerator: UInt32, _ denominator: Envoy.Types.DenominatorType) throws
            -> RouteTable
        {
            try Self.table([
                Sample.match {
                    $0.runtimeFraction = .with {
                        $0.defaultValue = .with {
                            $0.numerator = numerator
                            $0.denominator = denominator
                        }
                    }
                }
            ])
        }
        #expect(Self.cluster(try table(0, .hundred)) == nil)
        let quarter = try table(2_500, .tenThousand)
        #expect(Self.cluster(quarter, random: Draw(249_999, of: 1_000_000)) == "c")
        #expect(Self.cluster(quarter, random: Draw(250_000, of: 1_000_000)) == nil)
        #expect(
            Self.cluster(try table(.max, .hundred), random: Draw(999_999, of: 1_000_000)) == "c")
    }

    @Test("is spread over clusters by their weights")
    func weights() throws {
        let table = try Self.table([
            Sample.action { action in
                action.clusterSpecifier = .weightedClusters(
                    .with {
                        $0.clusters = [("a", UInt32(1)), ("b", 3)].map { name, weight in
                            .with {
                                $0.name = name
                                $0.weight = .init(weight)
                            }
                        }
                    })
            }
        ])
        let chosen = (0..<4).map { Self.cluster(table, random: Draw($0, of: 4)) }
        #expect(chosen == ["a", "b", "b", "b"])
    }

    @Test("fails if no route matches, or if its action is not for clients")
    func failures() throws {
        let table = try Self.table([
            Sample.route(prefix: "/x", to: "c") { $0.action = .nonForwardingAction(.init()) },
            Sample.route(prefix: "/y", to: "c"),
        ])
        func decide(_ path: String) -> RouteDecision {
            var random = Draw()
            return table.decide(CallHeaders(path: path, metadata: [:]), random: &random).decision
        }
        guard case .otherAction = decide("/x/a"), case .noRoute = decide("/z/a") else {
            Issue.record("a call was forwarded")
            return
        }
    }

    @Test(
        "has the most specific configuration of a filter, and the listener's time limit where it has none"
    )
    func overrides() throws {
        func fault(_ status: UInt32) -> Google.Protobuf.AnyMessage {
            Sample.any(
                Envoy.Filters.HTTPFault.with {
                    $0.abort = .with { $0.errorType = .grpcStatus(status) }
                })
        }
        var message = Sample.routes(
            "r",
            [
                Sample.route(to: "c") { $0.typedPerFilterConfig = ["b": fault(2)] }
            ])
        message.virtualHosts[0].typedPerFilterConfig = ["a": fault(1), "b": fault(1)]
        let checked = Sample.check(message, .routeConfiguration)
        guard case .routeConfiguration(let value)? = checked.resource,
            let call = RouteTable(value.virtualHosts[0]).ends.first,
            case .fault(let a)? = call.override(of: "a"),
            case .fault(let b)? = call.override(of: "b")
        else {
            Issue.record("\(checked.problem)")
            return
        }
        #expect(a.abort == .status(1) && b.abort == .status(2) && call.override(of: "c") == nil)
        let listener = Sample.check(
            Sample.listener("l") {
                $0.commonHTTPProtocolOptions = .with { $0.maxStreamDuration = .init(seconds: 3) }
            }, .listener)
        guard case .listener(let listener)? = listener.resource else { return }
        #expect(call.maxDuration(of: listener) == .seconds(3))
    }

    private typealias Policy = Envoy.Routes.RouteAction.HashPolicy

    private static func header(
        _ name: String, rewrite: (String, String)? = nil, isTerminal: Bool = false
    ) -> Envoy.Routes.RouteAction.HashPolicy {
        .with { policy in
            policy.terminal = isTerminal
            policy.policySpecifier = .header(
                .with {
                    $0.headerName = name
                    $0.regexRewrite = rewrite.map { pattern, substitution in
                        .with {
                            $0.pattern = .with { $0.regex = pattern }
                            $0.substitution = substitution
                        }
                    }
                })
        }
    }

    private static func state(_ key: String) -> Envoy.Routes.RouteAction.HashPolicy {
        .with { $0.policySpecifier = .filterState(.with { $0.key = key }) }
    }

    private static func hash(
        _ policies: [Envoy.Routes.RouteAction.HashPolicy], _ metadata: Metadata
    ) throws -> UInt64? {
        let table = try table([Sample.action { $0.hashPolicy = policies }])
        let call = CallHeaders(path: "/s/m", metadata: metadata)
        var random = Draw()
        guard case .forward(let end) = table.decide(call, random: &random).decision else {
            return nil
        }
        return table.ends[end].forwarding.hashPolicies.hash(of: call, channelID: 7)
    }

    @Test("has a hash of headers and of the channel")
    func hashes() throws {
        let (a, b) = (XXH64.hash("1"), XXH64.hash("2"))
        let metadata: Metadata = ["a": "1", "b": "2"]
        // A public vector of XXH64.
        #expect(XXH64.hash("") == 0xef46_db37_51d8_e999)
        #expect(try Self.hash([], metadata) == nil)
        #expect(try Self.hash([Self.header("x")], metadata) == nil)
        #expect(try Self.hash([Self.header("A")], metadata) == a)
        let rotated = a << 1 | a >> 63
        #expect(try Self.hash([Self.header("a"), Self.header("b")], metadata) == rotated ^ b)
        #expect(try Self.hash([Self.header("a"), Self.header("a")], metadata) == rotated ^ a)
        #expect(try Self.hash([Self.header("a"), Self.header("x")], metadata) == a)
        #expect(try Self.hash([Self.state("io.grpc.channel_id")], metadata) == 7)
        #expect(try Self.hash([Self.state("other")], metadata) == nil)
        let terminal = [
            Self.header("x", isTerminal: true), Self.header("a", isTerminal: true),
            Self.header("b"),
        ]
        #expect(try Self.hash(terminal, metadata) == a)
        let rewritten = try Self.hash(
            [Self.header("p", rewrite: ("^/(\\w+)/.*", "\\1"))], ["p": "/1/x"])
        #expect(rewritten == a)
    }

    @Test("costs linear time for text of combining marks")
    func textCost() throws {
        let table = try Self.table([
            Sample.match {
                $0.headers = [
                    .with {
                        $0.name = "h"
                        $0.headerMatchSpecifier = .containsMatch("no")
                    }
                ]
            },
            Sample.route(prefix: "/b", to: "c"),
        ])
        let ratio = CostlyText.ratio { text in
            var metadata = Metadata()
            metadata.append(received: .text(text), for: "h")
            _ = Self.cluster(table, "/" + text, metadata)
        }
        #expect(ratio < CostlyText.maxRatio)
    }
}
