import Synchronization
import Testing

@testable import SwiftletXDS

@Suite("A table of objects that others use")
struct WeakTableTests {
    private final class Object: Sendable {}

    private final class Counts: Sendable {
        let hashes = Atomic(0)
    }

    /// Counts how often it is hashed.
    private struct Key: Hashable, Sendable {
        /// To see whether the table has the key.
        let holder: Object
        let number: Int
        let counts: Counts

        static func == (left: Key, right: Key) -> Bool { left.number == right.number }

        func hash(into hasher: inout Hasher) {
            counts.hashes.add(1, ordering: .relaxed)
            hasher.combine(number)
        }
    }

    @Test("makes each object in a few steps, however many there are")
    func steps() {
        let table = WeakTable<Key, Object>()
        let (counts, holder) = (Counts(), Object())
        let objects = (0..<2_000).map { number in
            table.object(for: Key(holder: holder, number: number, counts: counts)) { Object() }
        }
        #expect(table.objects.count == 2_000)
        #expect(counts.hashes.load(ordering: .relaxed) < 20 * 2_000)
        let again = table.object(for: Key(holder: holder, number: 7, counts: counts)) { Object() }
        #expect(again === objects[7])
    }

    @Test("forgets the keys of objects that are gone")
    func goneObjects() {
        let table = WeakTable<Key, Object>()
        let counts = Counts()
        var last: Object?
        weak var first: Object?
        for number in 0..<1_000 {
            let holder = Object()
            if number == 0 { first = holder }
            last = table.object(for: Key(holder: holder, number: number, counts: counts)) {
                Object()
            }
        }
        #expect(first == nil && table.objects.count == 1)
        withExtendedLifetime(last) {}
    }
}
