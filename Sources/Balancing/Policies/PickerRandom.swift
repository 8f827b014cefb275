import SwiftletCore
import Synchronization

/// Random numbers for pickers. Many threads may use it at once; each number takes one atomic
/// operation.
///
/// The numbers are those of SplitMix64: a counter with an odd step, whose bits are mixed. They are
/// not suitable for cryptography.
package final class PickerRandom: Sendable {
    private let counter: Atomic<UInt64>

    package init(seed: UInt64) { counter = Atomic(seed) }

    package func next() -> UInt64 {
        SplitMix64.mixed(counter.wrappingAdd(SplitMix64.step, ordering: .relaxed).newValue)
    }

    /// A number from 0 to one below `bound`, which is above 0.
    package func next(below bound: Int) -> Int {
        Int(next().multipliedFullWidth(by: UInt64(bound)).high)
    }
}

/// Random numbers for one call. A value, so that a call which needs several shares nothing with the others.
package struct SplitMix64: RandomNumberGenerator, Sendable {
    fileprivate static let step: UInt64 = 0x9e37_79b9_7f4a_7c15

    private var counter: UInt64

    package init(seed: UInt64) { counter = seed }

    package mutating func next() -> UInt64 {
        counter &+= Self.step
        return Self.mixed(counter)
    }

    fileprivate static func mixed(_ count: UInt64) -> UInt64 {
        var bits = (count ^ count >> 30) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ bits >> 27) &* 0x94d0_49bb_1331_11eb
        return bits ^ bits >> 31
    }
}
