/// The rule for text from a peer: it is compared, searched and hashed as bytes, or as a `String` after one linear
/// check.
///
/// Swift compares and hashes strings by their normal form. For that, it sorts each run of combining marks, in a time
/// that grows with the square of the run. One comparison of 16 kB costs a fifth of a second, in which the event loop
/// serves no other connection. With runs of at most ``maxMarkRun`` marks, the time is linear.
package enum WireText {
    /// The most combining marks in a row. Unicode's stream-safe format has the same limit (UAX #15 §13). No language
    /// needs more than a few.
    package static let maxMarkRun = 30

    /// The text of `bytes`, for comparisons and as a key. Nil if the bytes are too many, not UTF-8, or have a longer
    /// run of combining marks than ``maxMarkRun``.
    package static func checked(_ bytes: some Collection<UInt8>, upTo maxByteCount: Int) -> String?
    {
        guard bytes.count <= maxByteCount else { return nil }
        guard let text = String(validating: bytes, as: UTF8.self), hasBoundedMarks(text)
        else { return nil }
        return text
    }

    /// Whether no run of combining marks is longer than ``maxMarkRun``, so that comparing the text takes linear time.
    package static func hasBoundedMarks(_ text: String) -> Bool {
        // A mark has two bytes or more.
        if text.utf8.count <= 2 * maxMarkRun { return true }
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return true }
        var run = MarkRun()
        return text.unicodeScalars.allSatisfy { run.accepts($0) }
    }

    /// The text without the combining marks that follow ``maxMarkRun`` others: the text itself if it has none. For
    /// text that the program receives, and may compare.
    package static func bounded(_ text: String) -> String {
        guard !hasBoundedMarks(text) else { return text }
        var run = MarkRun()
        return String(String.UnicodeScalarView(text.unicodeScalars.filter { run.accepts($0) }))
    }

    /// Counts the combining marks that follow one another.
    struct MarkRun {
        private var count = 0

        init() {}

        /// Whether the text may continue with the scalar.
        mutating func accepts(_ scalar: Unicode.Scalar) -> Bool {
            count = scalar.isASCII ? 0 : Self.isMark(scalar) ? count + 1 : 0
            return count <= maxMarkRun
        }

        private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
            switch scalar.value {
            // They have the class of a letter, but their normal form is two marks.
            case 0x0f73, 0x0f75, 0x0f81: true
            default: scalar.properties.canonicalCombiningClass != .notReordered
            }
        }
    }
}

extension String {
    /// Whether both texts have the same bytes. Takes linear time for any text.
    package func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count && beginAlike(utf8, other.utf8, upTo: utf8.count)
    }

    /// Whether the text contains the bytes of `part`. The standard library's search would link its engine for regular
    /// expressions, one megabyte, into static binaries.
    package func containsBytes(of part: String) -> Bool {
        part.isEmpty || utf8.indices.contains { utf8[$0...].starts(with: part.utf8) }
    }

    /// Whether these are the first bytes of the text. Takes linear time for any text.
    package func begins(with bytes: [UInt8]) -> Bool {
        utf8.count >= bytes.count && beginAlike(utf8, bytes, upTo: bytes.count)
    }
}

/// Compares the first bytes, of which each has at least `count`. The collections' own comparison takes ten times as
/// long.
@inline(__always)
private func beginAlike(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>, upTo count: Int
) -> Bool {
    // The pointers are used only inside the closures, and only up to the count.
    let result: Bool?? = left.withContiguousStorageIfAvailable { left in
        right.withContiguousStorageIfAvailable { right in
            unsafe beginAlike(
                UnsafeRawBufferPointer(left), UnsafeRawBufferPointer(right), upTo: count)
        }
    }
    // A text of another language has no such storage.
    if let result, let result { return result }
    return Array(left)[..<count] == Array(right)[..<count]
}
