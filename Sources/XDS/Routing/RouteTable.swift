/// Chooses the route of each call of a channel. Made once for each change of the configuration.
struct RouteTable: Sendable {
    private struct Entry {
        let route: Route
        /// For each header condition, the place of the header's name in `names`.
        let places: [Int]
    }

    private let host: VirtualHost
    private let entries: [Entry]
    private let names: [ByteText]

    init(_ host: VirtualHost) {
        self.host = host
        var places: [ByteText: Int] = [:]
        entries = host.routes.map { route in
            let used = route.match.headers.map { header in
                let place = places[header.name] ?? places.count
                places[header.name] = place
                return place
            }
            return Entry(route: route, places: used)
        }
        names = places.sorted { $0.value < $1.value }.map(\.key)
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
        let path = Array(call.path.utf8)
        // Each header is looked up once, when a route asks for it.
        var values: [[UInt8]??] = Array(repeating: nil, count: names.count)
        for (index, entry) in entries.enumerated() {
            let mismatch = mismatch(entry, call, path, &values, random)
            if let mismatch {
                skipped(index, mismatch)
                continue
            }
            guard case .forward(let forwarding) = entry.route.action else {
                return (index, .otherAction)
            }
            return (index, .forward(choose(forwarding, entry.route, random)))
        }
        return (nil, .noRoute)
    }

    /// Nil if the route matches.
    ///
    /// - Parameter values: The headers that were looked up so far.
    private func mismatch(
        _ entry: Entry, _ call: CallHeaders, _ path: [UInt8], _ values: inout [[UInt8]??],
        _ random: (UInt64) -> UInt64
    ) -> RouteMismatch? {
        let match = entry.route.match
        guard match.path.matches(path) else { return .path }
        for (number, place) in entry.places.enumerated() {
            let value = values[place] ?? call.value(of: names[place])
            values[place] = .some(value)
            guard match.headers[number].matches(value) else { return .header(number) }
        }
        guard let millionths = match.millionths else { return nil }
        let drawn = random(1_000_000)
        return drawn < millionths ? nil : .fraction(drawn: drawn)
    }

    /// The route at a place that ``walk(_:random:skipped:)`` has named.
    func route(at index: Int) -> Route { entries[index].route }

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
