import Synchronization

/// A number that several threads add to.
final class Counter: Sendable {
    private let number = Atomic(0)

    var value: Int { number.load(ordering: .acquiring) }

    func add(_ more: Int) { number.add(more, ordering: .acquiringAndReleasing) }
}
