/// The lengths of nested messages and packed lists, in the order in which their fields are visited.
///
/// Measuring notes them, writing takes them again: each is counted once, however deep it lies. The
/// first few lie on the stack, because most messages nest little, and then nothing is allocated.
/// This is no array, because to retain and release one took longer than to encode a short message.
///
/// Invariant: `sizes` points to room for `capacity` numbers, of which `count` are set; until
/// ``free()``, which whoever made the value calls in the end.
@frozen
@safe
@usableFromInline
struct NestedSizes {
    @usableFromInline static var inlineCount: Int { 64 }

    @usableFromInline var sizes: UnsafeMutablePointer<Int>
    @usableFromInline var capacity = inlineCount
    @usableFromInline var count = 0
    @usableFromInline var place = 0

    /// - Parameter stack: Room for ``inlineCount`` numbers that outlives this value.
    @inlinable
    init(stack: UnsafeMutablePointer<Int>) { unsafe sizes = stack }

    /// Takes a place for a length that will be known later.
    @inlinable
    @inline(__always)
    mutating func reserve() -> Int {
        if count == capacity { grow() }
        let place = count
        count &+= 1
        return place
    }

    /// - Parameter place: One that ``reserve()`` gave.
    @inlinable
    @inline(__always)
    mutating func set(_ place: Int, _ size: Int) {
        assert(place < count)
        unsafe sizes[place] = size
    }

    /// The next length, in the order of ``reserve()``.
    @inlinable
    @inline(__always)
    mutating func next() -> Int {
        precondition(place < count, "a message grew while it was encoded")
        let size = unsafe sizes[place]
        place &+= 1
        return size
    }

    @usableFromInline
    @inline(never)
    mutating func grow() {
        let larger = UnsafeMutablePointer<Int>.allocate(capacity: 4 * capacity)
        unsafe larger.update(from: sizes, count: count)
        free()
        unsafe sizes = larger
        capacity *= 4
    }

    @inlinable
    func free() {
        if capacity > Self.inlineCount { unsafe sizes.deallocate() }
    }
}
