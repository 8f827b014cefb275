import Synchronization

/// The faults of a server, with the counts of the calls that matched them.
final class FaultBook: Sendable {
    private struct Entry {
        var fault: Fault
        var callCount = 0
        var hasApplied = false
        var chance: SplitMix64

        init(_ fault: Fault) {
            self.fault = fault
            var seed: UInt64 = 0
            if case .randomly(_, let own) = fault.occasion { seed = own }
            chance = SplitMix64(state: seed)
        }

        func matches(_ path: String, isGRPC: Bool) -> Bool {
            (isGRPC || !fault.kind.isOfGRPC) && fault.path.map { $0 == path } ?? true
        }

        /// Counts a call that matches. Returns true if the fault applies to this call.
        mutating func count() -> Bool {
            callCount += 1
            return switch fault.occasion {
            case .always: true
            case .calls(let numbers): numbers.contains(callCount)
            case .randomly(let share, _): Double.random(in: 0..<1, using: &chance) < share
            }
        }

        /// Whether the fault has not applied yet. False for a random fault, which may never apply
        /// by chance.
        var isUnused: Bool {
            if case .randomly = fault.occasion { return false }
            return !hasApplied
        }
    }

    private let entries = Mutex<[Entry]>([])

    /// Replaces all faults, and counts calls from one again.
    func replace(with faults: [Fault]) {
        entries.withLock { $0 = faults.map(Entry.init) }
    }

    /// The faults that have not applied to any call. Random faults are not included.
    var unused: [Fault] { entries.withLock { $0.filter(\.isUnused).map(\.fault) } }

    /// Counts a call of a path. Returns the first fault that applies to the call.
    func next(for path: String, isGRPC: Bool) -> Fault.Kind? {
        entries.withLock { entries in
            var first: Int?
            for index in entries.indices where entries[index].matches(path, isGRPC: isGRPC) {
                // Every matching entry counts the call, even after the first one that applies.
                if entries[index].count(), first == nil { first = index }
            }
            guard let first else { return nil }
            entries[first].hasApplied = true
            return entries[first].fault.kind
        }
    }
}

/// A random number generator. For the same seed, it generates the same numbers on every machine.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}
