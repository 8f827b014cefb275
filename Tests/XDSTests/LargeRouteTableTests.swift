import SwiftletCore
import SwiftletMessages
import Testing

@testable import SwiftletXDS

/// A large table has an index. Each route must match as it does alone.
@Suite("A table of many routes")
struct LargeRouteTableTests {
    private typealias Specifier = Envoy.Routes.HeaderMatcher.HeaderMatchSpecifier

    /// What a route and its mismatch are, in a form that can be compared.
    private static func decided(_ table: RouteTable, _ call: CallHeaders) -> [String] {
        var found: [String] = []
        var random = Draw(500_000)
        let end = table.decide(call, random: &random, passesAll: true) {
            found.append("\($0): \($1)")
        }
        let other = table.decide(call, random: &random)
        #expect(number(other.decision) == number(end.decision))
        return found + ["\(end.index.map(String.init) ?? "none")"]
    }

    private static func number(_ decision: RouteDecision) -> Int? {
        if case .forward(let end) = decision { end } else { nil }
    }

    private static func path(_ number: Int) -> Envoy.Routes.RouteMatch.PathSpecifier {
        let names = ["/", "/a", "/a/b", "/b", "/a/bc", ""]
        let name = names[number % names.count]
        return switch number / names.count % 3 {
        case 0: .prefix(name)
        case 1: .path(name)
        default: .safeRegex(.with { $0.regex = name + ".*" })
        }
    }

    private static func header(_ number: Int) -> Envoy.Routes.HeaderMatcher {
        let values = ["", "1", "12", "x"]
        let value = values[number / 3 % values.count]
        let specifiers: [Specifier] = [
            .exactMatch(value), .prefixMatch(value.isEmpty ? "1" : value),
            .presentMatch(number % 2 == 0),
            .rangeMatch(
                .with {
                    $0.start = 1
                    $0.end = 13
                }),
            .stringMatch(
                .with {
                    $0.matchPattern = .exact("X")
                    $0.ignoreCase = true
                }),
        ]
        return .with {
            $0.name = ["k", "K", "l", ":path", "content-type"][number % 5]
            $0.headerMatchSpecifier = specifiers[number / 12 % specifiers.count]
            $0.invertMatch = number / 60 % 3 == 0
        }
    }

    /// Routes of every kind of path, with none to two conditions on headers.
    private static let routes = (0..<400).map { number in
        Sample.match(to: "c\(number)") { match in
            match.pathSpecifier = path(number)
            match.headers = (0..<number % 3).map { header(number * 7 + $0 * 31) }
            if number % 11 == 0 {
                match.runtimeFraction = .with {
                    $0.defaultValue = .with { $0.numerator = UInt32(number % 2 * 100) }
                }
            }
        }
    }

    private static func table(_ routes: ArraySlice<Envoy.Routes.Route>) -> RouteTable {
        let checked = Sample.check(Sample.routes("r", Array(routes)), .routeConfiguration)
        guard case .routeConfiguration(let value)? = checked.resource else {
            preconditionFailure(checked.problem)
        }
        return RouteTable(value.virtualHosts[0])
    }

    private static let alone = routes.indices.map { table(routes[$0...$0]) }
    /// A table ends at its first match, so there is one for several places to begin at.
    private static let large = stride(from: 0, to: 380, by: 20).map {
        (start: $0, table: table(routes[$0...]))
    }

    private static let calls: [CallHeaders] = ["", "/", "/a", "/a/b", "/a/bcd", "/c"].flatMap {
        path in
        [[:], ["k": "1"], ["k": "12", "l": "x"], ["l": ""], ["k": "X", "l": "1"]].map {
            CallHeaders(path: path, metadata: $0)
        }
    }

    @Test("decides for each route as a table of this route alone", arguments: calls.indices)
    func same(index: Int) {
        let call = Self.calls[index]
        for (start, table) in Self.large {
            var expected: [String] = []
            var end = "none"
            for (place, one) in Self.alone[start...].enumerated() {
                let found = Self.decided(one, call)
                guard found.count == 2 else {
                    end = "\(place)"
                    break
                }
                expected.append("\(place)\(found[0].dropFirst())")
            }
            #expect(Self.decided(table, call) == expected + [end])
        }
    }
}
