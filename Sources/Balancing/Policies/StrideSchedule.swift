import SwiftletCore
import Synchronization

/// Counts the picks of all pickers of a balancer, so that a new picker continues where the old one
/// stopped.
final class PickTurn: Sendable {
    private let counter: Atomic<UInt64>

    init(startingAt start: UInt64) { counter = Atomic(start) }

    func next() -> UInt64 { counter.wrappingAdd(1, ordering: .relaxed).oldValue }
}

/// Chooses indices in proportion to their weights, without a lock: a static stride schedule.
///
/// The turns visit all indices again and again, one round after another. An index with the largest
/// weight is chosen in every round. An index with s times the largest weight is chosen in a
/// fraction s of the rounds, evenly spread. The decision depends on the number of the turn alone.
struct StrideSchedule: Sendable {
    /// The largest weight as it is stored.
    private static let scale = UInt64(UInt16.max)
    /// Shifts each index by about half a cycle against the index before it, so that indices skip
    /// different rounds.
    private static let offset = scale / 2
    /// Weights are kept within this factor of the average, so that each endpoint gets calls and
    /// continues to report.
    private static let spread = 10.0
    /// Keeps sums of weights finite.
    private static let largest = 1e100

    private let weights: ContiguousArray<UInt16>

    /// A weight of 0 is unknown, and is replaced by the average. Nil if fewer than two weights are
    /// known: all indices are then equal.
    init?(_ weights: [Double]) {
        let known = weights.lazy.filter { $0 > 0 }.map { min($0, Self.largest) }
        let count = known.reduce(0) { count, _ in count + 1 }
        guard count >= 2 else { return nil }
        let average = known.reduce(0, +) / Double(count)
        let bounded = weights.map { weight in
            guard weight > 0 else { return average }
            return min(max(weight, average / Self.spread), average * Self.spread)
        }
        guard let top = bounded.max(), top > 0 else { return nil }
        self.weights = ContiguousArray(
            bounded.map { UInt16(max(($0 / top * Double(Self.scale)).rounded(), 1)) })
    }

    /// The next index. Uses one turn, and one more for each skipped index.
    func next(_ turn: PickTurn) -> Int {
        while true {
            let turn = turn.next()
            let (round, index) = turn.quotientAndRemainder(dividingBy: UInt64(weights.count))
            let weight = UInt64(weights[Int(index)])
            let phase = (weight &* round &+ index &* Self.offset) % Self.scale
            if phase >= Self.scale - weight { return Int(index) }
        }
    }
}
