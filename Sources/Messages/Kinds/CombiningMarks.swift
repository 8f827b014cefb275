/// The cost of strings as keys.
///
/// Swift hashes and compares a string by its normal form. There, the combining marks that follow one another are
/// sorted, which takes time with the square of their number: seconds for a key of 200 kB that a peer chooses.
package enum CombiningMarks {
    /// The most combining marks in a row, as in Unicode's stream-safe format (UAX #15 §13). No language needs more
    /// than a few.
    package static var maxRun: Int { 30 }

    /// Whether no run of combining marks is longer than `maxRun`.
    package static func areBounded(in text: String) -> Bool {
        guard text.utf8.count > maxRun else { return true }
        var run = 0
        for scalar in text.unicodeScalars {
            run = scalar.isASCII ? 0 : isMark(scalar) ? run + 1 : 0
            if run > maxRun { return false }
        }
        return true
    }

    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        // They have the class of a letter, but their normal form is two marks.
        case 0x0f73, 0x0f75, 0x0f81: true
        default: scalar.properties.canonicalCombiningClass != .notReordered
        }
    }
}
