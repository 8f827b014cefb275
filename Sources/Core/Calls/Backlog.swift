/// What waits its turn, first in, first out.
///
/// Taking from the front moves nothing, and the places that were left are used again even when
/// the backlog is never quite empty: a producer that is always ahead must not make it grow.
struct Backlog<Element> {
    private var elements: [Element?] = []
    private var first = 0

    var isEmpty: Bool { first == elements.count }
    var count: Int { elements.count - first }
    /// Those that have left and were not used again yet among them.
    var placeCount: Int { elements.count }
}

extension Backlog {
    mutating func append(_ element: consuming Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard first < elements.count else { return nil }
        let element = elements[first].take()
        first += 1
        if first == elements.count {
            removeAll()
        } else if first >= 64, first * 2 >= elements.count {
            // Each element is moved at most once on average.
            elements.removeFirst(first)
            first = 0
        }
        return element
    }

    /// Empties it and keeps its memory.
    mutating func removeAll() {
        elements.removeAll(keepingCapacity: true)
        first = 0
    }

    mutating func reserve(_ count: Int) { elements.reserveCapacity(count) }
}

extension Backlog: Sendable where Element: Sendable {}
