import SwiftletCore
import Synchronization

/// Random numbers for pickers. Many threads may use it at once; each number takes one atomic
/// operation.
///
/// The numbers are those of SplitMix64: a counter with an odd step, whose bits are mixed. They are
/// not suitable for cryptography.
package final class PickerRandom: Sendable {
    private static let step: UInt64 = 0x9e37_79b9_7f4a_7c15

    private let counter: Atomic<UInt64>

    package init(seed: UInt64) { counter = Atomic(seed) }

    package func next() -> UInt64 {
        var bits = counter.wrappingAdd(Self.step, ordering: .relaxed).newValue
        bits = (bits ^ bits >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }

    /// A number from 0 to one below `bound`, which is above 0.
    package func next(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}
