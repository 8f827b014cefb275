import Synchronization

/// Counters by key. It keeps those that nothing else uses until their counts are taken.
struct LoadTable<Key: Hashable & Sendable, Counter: AnyObject & Sendable>: Sendable {
    private(set) var counters: [Key: Counter] = [:]
    private var countLimit = Self.minCountLimit

    /// From so many counters on, those that nothing else uses are removed without being reported. A control plane
    /// that wants reports, and never asks for one, can make clusters and localities without end.
    static var minCountLimit: Int { 1_000 }

    init() {}
}

extension LoadTable {
    var isEmpty: Bool { counters.isEmpty }

    /// The counter of a key. Made if there is none.
    mutating func counter(for key: Key, _ make: () -> Counter) -> Counter {
        if let counter = counters[key] { return counter }
        if counters.count >= countLimit {
            _ = removeUnused()
            countLimit = max(2 * counters.count, Self.minCountLimit)
        }
        let counter = make()
        counters[key] = counter
        return counter
    }

    /// Removes and returns the counters that nothing else uses, so that their counts are final.
    mutating func removeUnused() -> [(key: Key, counter: Counter)] {
        var removed: [(key: Key, counter: Counter)] = []
        for key in Array(counters.keys) {
            guard let index = counters.index(forKey: key),
                isKnownUniquelyReferenced(&counters.values[index])
            else { continue }
            removed.append((key, counters.remove(at: index).value))
        }
        // What other threads counted before they released a counter is visible after this.
        atomicMemoryFence(ordering: .acquiring)
        return removed
    }
}
