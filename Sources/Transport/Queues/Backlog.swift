/// What waits its turn, first in, first out.
///
/// Most have no more than one element at a time, which costs no memory of its own. Taking from the
/// front moves nothing, and the places that were left are used again even when the backlog is never
/// quite empty: a producer that is always ahead must not make it grow.
///
/// Inlinable: it holds what modules above have to keep, and is compiled where the type is known.
@usableFromInline
package struct Backlog<Element> {
    @usableFromInline var head: Element?
    /// What is behind the head, from `restIndex` on. Nothing when there is no head.
    @usableFromInline var rest: [Element?] = []
    @usableFromInline var restIndex = 0

    @inlinable
    package init() {}
}

extension Backlog {
    @inlinable package var isEmpty: Bool { head == nil }
    @inlinable package var count: Int { (head == nil ? 0 : 1) + rest.count - restIndex }
    @inlinable package var first: Element? { head }
    /// Of those behind the first, with the places that were left and are not used again yet.
    @inlinable package var placeCount: Int { rest.count }

    @inlinable
    package mutating func append(_ element: consuming Element) {
        if head == nil { head = element } else { rest.append(element) }
    }

    @inlinable
    package mutating func popFirst() -> Element? {
        guard let element = head.take() else { return nil }
        if restIndex < rest.count { head = takeRest() }
        return element
    }

    @inlinable
    mutating func takeRest() -> Element? {
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

    /// Changes the first element where it lies. Nil when there is none.
    @inlinable
    package mutating func changeFirst<Result>(_ change: (inout Element) -> Result) -> Result? {
        Self.change(&head, change)
    }

    /// Changes the last element where it lies. Nil when there is none.
    @inlinable
    package mutating func changeLast<Result>(_ change: (inout Element) -> Result) -> Result? {
        rest.isEmpty ? Self.change(&head, change) : Self.change(&rest[rest.count - 1], change)
    }

    /// Taken out meanwhile: were it in two places, the change would copy what it refers to.
    @inlinable
    static func change<Result>(
        _ place: inout Element?, _ change: (inout Element) -> Result
    ) -> Result? {
        guard var element = place.take() else { return nil }
        defer { place = element }
        return change(&element)
    }

    /// Empties it, and keeps its memory when that is for no more than `placeCount` elements.
    @inlinable
    package mutating func removeAll(keepingAtMost placeCount: Int = .max) {
        head = nil
        rest.removeAll(keepingCapacity: rest.capacity <= placeCount)
        restIndex = 0
    }

    /// Gets memory for as many as `other` has behind its first.
    @inlinable
    package mutating func reserve(as other: Backlog) { rest.reserveCapacity(other.placeCount) }
}

extension Backlog: Sendable where Element: Sendable {}
