import SwiftletCore

/// A ring of hashes, on which each member has entries in proportion to its weight (A42).
struct HashRing: Sendable {
    private struct Entry: Sendable {
        let hash: UInt64
        let member: Int
    }

    /// Prevents a rounding error in a product from adding an entry.
    private static let tolerance = 1e-6

    /// In the order of their hashes.
    private let entries: ContiguousArray<Entry>

    /// Makes at least `minSize` entries: the smallest number that gives the member with the lowest
    /// weight a whole number of entries. `maxSize` is the upper limit.
    ///
    /// - Parameter members: Weights are above 0.
    init(_ members: [(key: String, weight: UInt64)], minSize: Int, maxSize: Int) {
        let total = members.reduce(0.0) { $0 + Double($1.weight) }
        let smallest = members.map { Double($0.weight) / total }.min() ?? 1
        let copies = max((smallest * Double(minSize) - Self.tolerance).rounded(.up), 1)
        let scale = min(copies / smallest, Double(maxSize))
        var entries = ContiguousArray<Entry>()
        entries.reserveCapacity(Int(scale) + 1)
        var target = 0.0
        for (index, member) in members.enumerated() {
            target += scale * Double(member.weight) / total
            var copy = 0
            while Double(entries.count) < target - Self.tolerance, entries.count < maxSize {
                entries.append(Entry(hash: XXH64.hash("\(member.key)_\(copy)"), member: index))
                copy += 1
            }
        }
        entries.sort { $0.hash < $1.hash }
        self.entries = entries
    }

    var count: Int { entries.count }

    /// The member of every entry in ring order. Begins with the first entry whose hash is at least
    /// `hash`. The first entry of the ring follows the last one.
    func members(from hash: UInt64) -> some Sequence<Int> {
        let start = firstIndex(from: hash)
        return (0..<entries.count).lazy.map { [entries] step in
            let index = start + step
            return entries[index < entries.count ? index : index - entries.count].member
        }
    }

    private func firstIndex(from hash: UInt64) -> Int {
        let index = entries.firstPlace { $0.hash >= hash }
        return index == entries.count ? 0 : index
    }
}
