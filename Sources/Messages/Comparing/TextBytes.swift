/// Texts as their bytes, in linear time for any text: Swift's own equality and hash of strings take time with the
/// square of their combining marks.
package enum TextBytes {
    package static func areEqual(_ one: String, _ other: String) -> Bool {
        areEqual(one.utf8, other.utf8)
    }

    package static func areEqual(_ one: Substring, _ other: String) -> Bool {
        areEqual(one.utf8, other.utf8)
    }

    package static func hash(_ text: String, into hasher: inout Hasher) {
        var text = text
        // The pointer is used only inside the closure.
        text.withUTF8 { unsafe hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // A byte that does not occur in UTF-8, so that two texts are not the same as their parts in another way.
        hasher.combine(0xff as UInt8)
    }

    /// Whether the first text comes first in the order of the bytes, as in other implementations.
    package static func precedes(_ one: String, _ other: String) -> Bool {
        one.utf8.lexicographicallyPrecedes(other.utf8)
    }

    /// The collections' own comparison takes ten times as long.
    @inline(__always)
    private static func areEqual(
        _ one: some Collection<UInt8>, _ other: some Collection<UInt8>
    ) -> Bool {
        guard one.count == other.count else { return false }
        // The pointers are used only inside the closures.
        let result: Bool?? = one.withContiguousStorageIfAvailable { one in
            other.withContiguousStorageIfAvailable { other in
                unsafe areEqual(UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(other))
            }
        }
        // A text of another language has no such storage.
        if let result, let result { return result }
        return one.elementsEqual(other)
    }

    /// Compares eight bytes at a time, and no byte at or after the count, which is the same for both.
    @inline(__always)
    private static func areEqual(
        _ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer
    ) -> Bool {
        var place = 0
        while place &+ 8 <= one.count {
            let word = unsafe one.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            let otherWord = unsafe other.loadUnaligned(fromByteOffset: place, as: UInt64.self)
            guard word == otherWord else { return false }
            place &+= 8
        }
        while place < one.count {
            guard unsafe one[place] == other[place] else { return false }
            place &+= 1
        }
        return true
    }
}
