/// The lengths of nested messages and packed lists, in the order in which their fields are visited.
///
/// Measuring notes them, writing takes them again: each is counted once, however deep it lies. The
/// first few lie in the value itself, because most messages nest little, and then nothing is
/// allocated.
@frozen
@usableFromInline
struct NestedSizes {
    @usableFromInline static var inlineCount: Int { 8 }

    @usableFromInline var first = InlineArray<8, Int>(repeating: 0)
    @usableFromInline var rest: [Int] = []
    @usableFromInline var count = 0

    @inlinable
    init() {}

    /// Takes a place for a length that will be known later.
    @inlinable
    @inline(__always)
    mutating func reserve() -> Int {
        let place = count
        if place >= Self.inlineCount {
            if place == Self.inlineCount { rest.reserveCapacity(56) }
            rest.append(0)
        }
        count &+= 1
        return place
    }

    @inlinable
    subscript(place: Int) -> Int {
        @inline(__always)
        get {
            place < Self.inlineCount ? first[place] : rest[place &- Self.inlineCount]
        }
        @inline(__always)
        set {
            if place < Self.inlineCount {
                first[place] = newValue
            } else {
                rest[place &- Self.inlineCount] = newValue
            }
        }
    }
}
