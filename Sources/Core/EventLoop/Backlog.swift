/// What waits its turn, first in, first out.
///
/// Most have no more than one element at a time, which costs no memory of its own. Taking from the
/// front moves nothing, and the places that were left are used again even when the backlog is never
/// quite empty: a producer that is always ahead must not make it grow.
struct Backlog<Element> {
    private(set) var first: Element?
    private var rest: [Element?] = []
    private var restIndex = 0

    var isEmpty: Bool { first == nil }
    var count: Int { (first == nil ? 0 : 1) + rest.count - restIndex }
    /// Of those behind the first, with the places that were left and are not used again yet.
    var placeCount: Int { rest.count }
}

extension Backlog {
    mutating func append(_ element: consuming Element) {
        if first == nil { first = element } else { rest.append(element) }
    }

    mutating func popFirst() -> Element? {
        guard let element = first.take() else { return nil }
        if restIndex < rest.count { first = takeRest() }
        return element
    }

    private mutating func takeRest() -> Element? {
        let element = rest[restIndex].take()
        restIndex += 1
        if restIndex == rest.count {
            rest.removeAll(keepingCapacity: true)
            restIndex = 0
        } else if restIndex >= 64, restIndex * 2 >= rest.count {
            // Each element is moved at most once on average.
            rest.removeFirst(restIndex)
            restIndex = 0
        }
        return element
    }

    /// Empties it and keeps its memory.
    mutating func removeAll() {
        first = nil
        rest.removeAll(keepingCapacity: true)
        restIndex = 0
    }

    /// Gets memory for as many as `other` has behind its first.
    mutating func reserve(as other: Backlog) { rest.reserveCapacity(other.placeCount) }
}

extension Backlog: Sendable where Element: Sendable {}
