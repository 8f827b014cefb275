/// The rules of ranges of numbers in `.proto` files: of reserved numbers, and of numbers for extensions.
///
/// The compiler applies them to source, and a schema to descriptors, which can come from a server.
package enum NumberRange {
    /// The largest number of a field; a tag has 29 bits for it.
    package static let maxFieldNumber: Int32 = 1 << 29 - 1

    /// The mistake in a range of reserved numbers of a message; nil if there is none.
    ///
    /// - Parameter end: The number after the last one.
    package static func problem(from start: Int32, until end: Int32) -> String? {
        if start <= 0 { return "the numbers of a range are at least 1" }
        return start < end ? nil : "the range ends before it starts"
    }

    /// The mistake in a range of numbers for extensions; nil if there is none. In a message set, numbers are
    /// not part of a tag, and can be larger.
    package static func problem(
        ofExtensionsFrom start: Int32, until end: Int32, inMessageSet: Bool
    ) -> String? {
        if let problem = problem(from: start, until: end) { return problem }
        return inMessageSet || end <= maxFieldNumber + 1
            ? nil : "the number of an extension is at most \(maxFieldNumber)"
    }

    /// The mistake in a range of reserved numbers of an enum; nil if there is none.
    ///
    /// - Parameter last: The last number of the range.
    package static func problem(from start: Int32, through last: Int32) -> String? {
        start <= last ? nil : "the range ends before it starts"
    }
}
