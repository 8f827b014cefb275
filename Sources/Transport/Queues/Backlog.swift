/// A queue, first in, first out.
///
/// A queue with at most one element needs no memory of its own. Removing the first element moves no
/// other. Free places are used again even if the queue is never empty, so that the queue does not
/// grow while its producer is always ahead.
///
/// Inlinable, so that other modules compile it for their element type.
@usableFromInline
package struct Backlog<Element> {
    @usableFromInline var head: Element?
    /// The elements after the head, from `restIndex` on. Empty if there is no head.
    @usableFromInline var rest: [Element?] = []
    @usableFromInline var restIndex = 0

    @inlinable
    package init() {}
}

extension Backlog {
    @inlinable package var isEmpty: Bool { head == nil }
    @inlinable package var count: Int { (head == nil ? 0 : 1) + rest.count - restIndex }
    @inlinable package var first: Element? { head }
    /// The number of elements after the head, plus the places of removed elements that `rest` still
    /// contains.
    @inlinable var placeCount: Int { rest.count }

    @inlinable
    package func forEach(_ body: (Element) -> Void) {
        if let head { body(head) }
        for index in restIndex..<rest.count { if let element = rest[index] { body(element) } }
    }

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

    /// Changes the first element in place. Nil if the queue is empty.
    @inlinable
    mutating func changeFirst<Result>(_ change: (inout Element) -> Result) -> Result? {
        Self.change(&head, change)
    }

    /// Changes the last element in place. Nil if the queue is empty.
    @inlinable
    mutating func changeLast<Result>(_ change: (inout Element) -> Result) -> Result? {
        rest.isEmpty ? Self.change(&head, change) : Self.change(&rest[rest.count - 1], change)
    }

    /// Moves the element out of `place` during the change, so that its memory has one reference.
    /// With a second reference, the change would copy the memory.
    @inlinable
    static func change<Result>(
        _ place: inout Element?, _ change: (inout Element) -> Result
    ) -> Result? {
        guard var element = place.take() else { return nil }
        defer { place = element }
        return change(&element)
    }

    /// Removes all elements. Keeps the memory if it is for at most `placeCount` elements.
    @inlinable
    package mutating func removeAll(keepingAtMost placeCount: Int = .max) {
        head = nil
        rest.removeAll(keepingCapacity: rest.capacity <= placeCount)
        restIndex = 0
    }

    /// Reserves memory for as many elements as `other` has after its head.
    @inlinable
    package mutating func reserve(as other: Backlog) { rest.reserveCapacity(other.placeCount) }
}

extension Backlog: Sendable where Element: Sendable {}
