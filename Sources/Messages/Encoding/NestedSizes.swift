/// The lengths of nested messages and packed lists, in the order in which their fields are visited.
///
/// Measuring notes them, writing takes them again: each is counted once, however deep it lies. The
/// first few lie on the stack, because most messages nest little, and then nothing is allocated.
///
/// Invariant: `first` points to room for ``inlineCount`` numbers that outlives this value.
@frozen
@safe
@usableFromInline
struct NestedSizes {
    @usableFromInline static var inlineCount: Int { 64 }

    @usableFromInline let first: UnsafeMutablePointer<Int>
    @usableFromInline var rest: [Int] = []
    @usableFromInline var count = 0

    @inlinable
    init(first: UnsafeMutablePointer<Int>) { unsafe self.first = first }

    /// Takes a place for a length that will be known later.
    @inlinable
    @inline(__always)
    mutating func reserve() -> Int {
        let place = count
        if place >= Self.inlineCount { rest.append(0) }
        count &+= 1
        return place
    }

    @inlinable
    @inline(__always)
    mutating func set(_ place: Int, _ size: Int) {
        // Safe: a place below the count of those that `first` has room for.
        if place < Self.inlineCount {
            unsafe first[place] = size
        } else {
            rest[place &- Self.inlineCount] = size
        }
    }

    /// The next length, in the order of ``reserve()``.
    @inlinable
    @inline(__always)
    mutating func next() -> Int {
        precondition(place < count, "a message grew while it was encoded")
        let size = unsafe place < Self.inlineCount ? first[place] : rest[place &- Self.inlineCount]
        place &+= 1
        return size
    }

    @usableFromInline var place = 0
}
