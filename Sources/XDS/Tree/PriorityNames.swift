import SwiftletBalancing
import SwiftletTransport

/// The names of a cluster's priorities and localities in the tree. A balancer keeps its connections as long as its name
/// is the same, so the names follow the localities when these move.
struct PriorityNames: Sendable {
    /// The most localities that are gone and whose names are kept. Bounds a control plane that sends ever new ones.
    static let maxGoneLocalityCount = 1_000

    /// Empty if the cluster's policy has no balancers of localities.
    private(set) var localities = Numbering<Endpoints.Locality>()
    /// When the names of localities that are gone are forgotten: as long as their balancers are kept, they come back under
    /// their names.
    private var removalTimes: [Endpoints.Locality: Duration] = [:]
    private var known: [(number: Int, localities: Set<Endpoints.Locality>)] = []
    private var nextNumber = 0

    init() {}
}

extension PriorityNames {
    /// The names of the priorities. One that has a locality of an earlier priority gets its name: that of the same
    /// place if possible. Each name is used once.
    ///
    /// - Parameter hasLocalities: Whether the localities are named, too.
    mutating func names(
        for priorities: [[Endpoints.Group]], hasLocalities: Bool, at now: Duration
    ) -> [String] {
        let sets = priorities.map { Set($0.map(\.locality)) }
        var isTaken = Array(repeating: false, count: known.count)
        var numbers: [Int?] = sets.enumerated().map { place, set in
            guard place < known.count, !known[place].localities.isDisjoint(with: set) else {
                return nil
            }
            isTaken[place] = true
            return known[place].number
        }
        // The earlier priorities of each locality, the first one last. A control plane can send very many.
        var places: [Endpoints.Locality: [Int]] = [:]
        for (place, entry) in known.enumerated().reversed() where !isTaken[place] {
            for locality in entry.localities { places[locality, default: []].append(place) }
        }
        for (place, set) in sets.enumerated() where numbers[place] == nil {
            var first: Int?
            for locality in set {
                while let last = places[locality]?.last, isTaken[last] {
                    places[locality]?.removeLast()
                }
                if let last = places[locality]?.last { first = min(first ?? last, last) }
            }
            if let first {
                isTaken[first] = true
                numbers[place] = known[first].number
            } else {
                numbers[place] = nextNumber
                nextNumber += 1
            }
        }
        known = zip(numbers.compactMap { $0 }, sets).map { ($0, $1) }
        if hasLocalities {
            keep(priorities.flatMap { $0.map(\.locality) }, at: now)
        } else {
            removalTimes = [:]
            localities.keep([])
        }
        return known.map { "\($0.number)" }
    }

    private mutating func keep(_ used: [Endpoints.Locality], at now: Duration) {
        let set = Set(used)
        for locality in localities.numbers.keys
        where !set.contains(locality) && removalTimes[locality] == nil {
            removalTimes[locality] = now + ChildBalancer.retention
        }
        removalTimes = removalTimes.filter { !set.contains($0.key) && $0.value > now }
        let excess = removalTimes.count - Self.maxGoneLocalityCount
        if excess > 0 {
            let oldest = removalTimes.inOrder { $0.value < $1.value }.prefix(excess)
            for (locality, _) in oldest { removalTimes[locality] = nil }
        }
        localities.keep(used + removalTimes.keys)
    }

    /// The name of a locality of the priorities that were named last.
    func name(of locality: Endpoints.Locality) -> String {
        localities.numbers[locality].map { "\($0)" } ?? ""
    }
}

/// Numbers for texts of the control plane, which are not names of the tree themselves: they may be long, and costly to
/// compare.
struct Numbering<Key: Hashable & Sendable>: Sendable {
    private(set) var numbers: [Key: Int] = [:]
    private var next = 0

    init() {}

    mutating func number(of key: Key) -> Int {
        if let number = numbers[key] { return number }
        numbers[key] = next
        next += 1
        return next - 1
    }

    /// Numbers the keys in their order, and forgets all others.
    mutating func keep(_ keys: [Key]) {
        let kept = Set(keys)
        numbers = numbers.filter { kept.contains($0.key) }
        for key in keys { _ = number(of: key) }
    }
}
