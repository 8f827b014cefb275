/// Chooses the route of each call of a channel. Made once for each change of the configuration.
struct RouteTable: Sendable {
    private let host: VirtualHost
    /// The texts that routes compare: the path, and then headers.
    private let names: [ByteText]
    /// For each route, the places in `names`: that of the path, and that of the header of each condition.
    private let places: [[Int]]
    /// Nil for a table that is walked as fast without them.
    private let leading: LeadingComparisons?

    /// The number of routes from which their comparisons are worth their memory for each call.
    private static let largeCount = 16

    init(_ host: VirtualHost) {
        self.host = host
        var known: [ByteText: Int] = ["": RouteTexts.pathPlace]
        places = host.routes.map { route in
            [RouteTexts.pathPlace]
                + route.match.headers.map { header in
                    let place = known[header.name] ?? known.count
                    known[header.name] = place
                    return place
                }
        }
        names = known.sorted { $0.value < $1.value }.map(\.key)
        leading =
            host.routes.count < Self.largeCount
            ? nil : LeadingComparisons(host.routes.map(\.match), places: places)
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
    case forward(RoutedCall)
    /// No route matches the call.
    case noRoute
    /// The route's action is one that clients do not have.
    case otherAction
}

/// The cluster of a call, and the settings of its route.
struct RoutedCall {
    let forwarding: Forwarding
    let cluster: ByteText
    /// The most specific one first. Not an array, because each call has them.
    private let overrides:
        (
            cluster: [ByteText: FilterOverride], route: [ByteText: FilterOverride],
            host: [ByteText: FilterOverride]
        )

    fileprivate init(
        _ forwarding: Forwarding, _ cluster: ByteText,
        _ clusterOverrides: [ByteText: FilterOverride], _ route: Route, _ host: VirtualHost
    ) {
        self.forwarding = forwarding
        self.cluster = cluster
        overrides = (clusterOverrides, route.filterOverrides, host.filterOverrides)
    }

    /// The configuration of a filter for this call; nil for the listener's.
    func override(of filter: ByteText) -> FilterOverride? {
        overrides.cluster[filter] ?? overrides.route[filter] ?? overrides.host[filter]
    }

    /// The longest time of the call; nil for no limit.
    func maxDuration(of listener: Listener) -> Duration? {
        let duration = forwarding.maxDuration ?? listener.maxDuration ?? .zero
        return duration > .zero ? duration : nil
    }
}

// MARK: - Choosing

extension RouteTable {
    /// - Parameter random: A random number from 0 to below its argument.
    func decide(_ call: CallHeaders, random: (UInt64) -> UInt64) -> RouteDecision {
        walk(call, random: random) { _, _ in }.decision
    }

    /// Tries the routes in their order. Returns the place of the one that matches, and the decision.
    ///
    /// - Parameters:
    ///   - random: A random number from 0 to below its argument.
    ///   - skipped: Receives the place of each route that does not match.
    func walk(
        _ call: CallHeaders, random: (UInt64) -> UInt64, skipped: (Int, RouteMismatch) -> Void
    ) -> (index: Int?, decision: RouteDecision) {
        var texts = RouteTexts(call, names)
        var leading = leading?.begin()
        for index in host.routes.indices {
            if let failure = leading?.failure(ofRoute: index, &texts) {
                skipped(index, failure == 0 ? .path : .header(failure - 1))
                continue
            }
            let route = host.routes[index]
            if let mismatch = mismatch(route.match, places[index], &texts, random) {
                skipped(index, mismatch)
                continue
            }
            guard case .forward(let forwarding) = route.action else { return (index, .otherAction) }
            return (index, .forward(choose(forwarding, route, random)))
        }
        return (nil, .noRoute)
    }

    /// Nil if the route matches.
    private func mismatch(
        _ match: Route.Match, _ places: [Int], _ texts: inout RouteTexts,
        _ random: (UInt64) -> UInt64
    ) -> RouteMismatch? {
        if !match.path.matchesAll {
            guard let path = texts[RouteTexts.pathPlace], match.path.matches(path) else {
                return .path
            }
        }
        for (number, header) in match.headers.enumerated()
        where !header.matches(texts[places[number + 1]]) {
            return .header(number)
        }
        guard let millionths = match.millionths else { return nil }
        let drawn = random(1_000_000)
        return drawn < millionths ? nil : .fraction(drawn: drawn)
    }

    /// The route at a place that ``walk(_:random:skipped:)`` has named.
    func route(at index: Int) -> Route { host.routes[index] }

    /// The domains of the virtual host.
    var domains: [Domain] { host.domains }

    private func choose(
        _ forwarding: Forwarding, _ route: Route, _ random: (UInt64) -> UInt64
    ) -> RoutedCall {
        switch forwarding.destination {
        case .cluster(let name): return RoutedCall(forwarding, name, [:], route, host)
        case .weighted(let clusters):
            let sum = clusters.reduce(UInt64(0)) { $0 + UInt64($1.weight) }
            var number = random(sum)
            for cluster in clusters {
                if number < UInt64(cluster.weight) {
                    return RoutedCall(
                        forwarding, cluster.name, cluster.filterOverrides, route, host)
                }
                number -= UInt64(cluster.weight)
            }
            // Not reached: the number is below the sum.
            return RoutedCall(forwarding, "", [:], route, host)
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
