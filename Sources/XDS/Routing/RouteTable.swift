/// Chooses the route of each call of a channel. Made once for each change of the configuration. An object, so that a
/// call does not copy its parts.
final class RouteTable: Sendable {
    /// The domains of the virtual host.
    let domains: [Domain]
    /// The ends of all routes that forward calls, each at the number that ``RouteDecision/forward(_:)`` has.
    let ends: [RoutedCall]
    private let routes: [TableRoute]
    /// The texts that routes compare: the path, and then headers.
    private let names: [ByteText]
    /// Nil for a table that is walked as fast without it.
    private let index: RouteIndex?

    /// The number of routes from which an index is worth its time for each call.
    private static let largeCount = 16

    init(_ host: VirtualHost) {
        var known: [ByteText: Int] = ["": RouteTexts.pathPlace]
        var ends: [RoutedCall] = []
        routes = host.routes.map { route in
            let places = route.match.headers.map { header in
                let place = known[header.name] ?? known.count
                known[header.name] = place
                return place
            }
            return TableRoute(
                route, places: [RouteTexts.pathPlace] + places,
                choices: route.choices(of: host, &ends))
        }
        domains = host.domains
        self.ends = ends
        names = known.sorted { $0.value < $1.value }.map(\.key)
        index =
            routes.count < Self.largeCount
            ? nil
            : RouteIndex(
                routes.map(\.route.match), places: routes.map(\.places), textCount: names.count)
    }
}

/// A route of a table. An object, so that a call does not copy the routes that it passes.
private final class TableRoute: Sendable {
    let route: Route
    /// The places of the texts that it compares: that of the path, and that of the header of each condition.
    let places: [Int]
    /// Where calls go, each with the end of its part of the random numbers. Empty if clients do not have the action.
    let choices: [(upTo: UInt64, end: Int)]

    init(_ route: Route, places: [Int], choices: [(upTo: UInt64, end: Int)]) {
        (self.route, self.places, self.choices) = (route, places, choices)
    }
}

/// Why a route does not match a call.
enum RouteMismatch {
    case path
    /// The number of the condition.
    case header(Int)
    /// The number that was drawn is not below the route's fraction, in millionths.
    case fraction(drawn: UInt64)
}

/// Where a call goes.
enum RouteDecision {
    /// To the end with this number in ``RouteTable/ends``. The number, so that a call does not count references.
    case forward(Int)
    /// No route matches the call.
    case noRoute
    /// The route's action is one that clients do not have.
    case otherAction
}

/// The cluster of a call, and the settings of its route.
struct RoutedCall: Sendable {
    let forwarding: Forwarding
    let cluster: ByteText
    /// The most specific one first.
    fileprivate let overrides: [[ByteText: FilterOverride]]

    /// The configuration of a filter for this call; nil for the listener's.
    func override(of filter: ByteText) -> FilterOverride? {
        overrides.lazy.compactMap { $0[filter] }.first
    }

    /// The longest time of the call; nil for no limit.
    func maxDuration(of listener: Listener) -> Duration? {
        let duration = forwarding.maxDuration ?? listener.maxDuration ?? .zero
        return duration > .zero ? duration : nil
    }
}

// MARK: - Choosing

extension RouteTable {
    /// Returns the place of the route that matches, and where the call goes.
    ///
    /// - Parameters:
    ///   - random: For the routes that take a part of the calls.
    ///   - passesAll: Whether each route is tried up to the first that matches. If not, which is the default, routes
    ///     are left out that the index rules out.
    ///   - skipped: Receives the place of each route that was tried and does not match.
    func decide(
        _ call: CallHeaders, random: inout some RandomNumberGenerator, passesAll: Bool = false,
        skipped: (Int, RouteMismatch) -> Void = { _, _ in }
    ) -> (index: Int?, decision: RouteDecision) {
        var texts = RouteTexts()
        let candidates = passesAll ? nil : index?.candidates(for: call, names)
        for place in 0..<(candidates?.count ?? routes.count) {
            let index = candidates?[place] ?? place
            let route = routes[index]
            guard let mismatch = route.mismatch(call, names, &texts, &random) else {
                return (index, route.decision(&random))
            }
            skipped(index, mismatch)
        }
        return (nil, .noRoute)
    }

    /// The route at a place that ``decide(_:random:passesAll:skipped:)`` has named.
    func route(at index: Int) -> Route { routes[index].route }
}

extension TableRoute {
    /// Nil if the route matches.
    func mismatch(
        _ call: CallHeaders, _ names: [ByteText], _ texts: inout RouteTexts,
        _ random: inout some RandomNumberGenerator
    ) -> RouteMismatch? {
        if !route.match.path.matches(call.path) { return .path }
        for (number, header) in route.match.headers.enumerated()
        where !header.matches(texts.text(at: places[number + 1], of: call, names)) {
            return .header(number)
        }
        guard let millionths = route.match.millionths else { return nil }
        let drawn = random.next(upperBound: 1_000_000 as UInt64)
        return drawn < millionths ? nil : .fraction(drawn: drawn)
    }

    func decision(_ random: inout some RandomNumberGenerator) -> RouteDecision {
        guard let last = choices.last else { return .otherAction }
        guard choices.count > 1 else { return .forward(last.end) }
        let drawn = random.next(upperBound: last.upTo)
        return .forward(choices.first { drawn < $0.upTo }?.end ?? last.end)
    }
}

extension Route {
    /// Where calls of the route go, each with the end of its part of the random numbers. Adds to `ends`.
    fileprivate func choices(
        of host: VirtualHost, _ ends: inout [RoutedCall]
    ) -> [(upTo: UInt64, end: Int)] {
        guard case .forward(let forwarding) = action else { return [] }
        let clusters: [Forwarding.WeightedCluster] =
            switch forwarding.destination {
            case .cluster(let name): [.init(name: name, weight: 1, filterOverrides: [:])]
            case .weighted(let clusters): clusters
            }
        var sum: UInt64 = 0
        return clusters.map { cluster in
            sum += UInt64(cluster.weight)
            let overrides = [
                cluster.filterOverrides, filterOverrides, host.filterOverrides,
            ]
            ends.append(
                RoutedCall(
                    forwarding: forwarding, cluster: cluster.name,
                    overrides: overrides.filter { !$0.isEmpty }))
            return (sum, ends.count - 1)
        }
    }
}

extension VirtualHost {
    /// Whether a route changes the authority of its calls (A81).
    var rewritesAuthority: Bool {
        routes.contains { route in
            if case .forward(let forwarding) = route.action {
                forwarding.rewritesAuthority
            } else {
                false
            }
        }
    }

    /// All clusters that calls can go to, each once, in the order of the routes.
    var clusters: [ByteText] {
        var known: Set<ByteText> = []
        return routes.flatMap { route -> [ByteText] in
            guard case .forward(let forwarding) = route.action else { return [] }
            switch forwarding.destination {
            case .cluster(let name): return [name]
            case .weighted(let clusters): return clusters.map(\.name)
            }
        }.filter { known.insert($0).inserted }
    }
}
