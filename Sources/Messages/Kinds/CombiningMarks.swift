/// The cost of strings as keys.
///
/// Swift hashes and compares a string by its normal form. There, the combining marks that follow one another are
/// sorted, which takes time with the square of their number: seconds for a key of 200 kB that a peer chooses.
@usableFromInline
enum CombiningMarks {
    /// The most combining marks in a row. No language needs more than a few.
    @usableFromInline static var maxRun: Int { 1_000 }

    /// Whether no run of combining marks is longer than `maxRun`.
    @usableFromInline
    static func areBounded(in text: String) -> Bool {
        var run = 0
        for scalar in text.unicodeScalars {
            let isMark =
                !scalar.isASCII && scalar.properties.canonicalCombiningClass != .notReordered
            run = isMark ? run + 1 : 0
            if run > maxRun { return false }
        }
        return true
    }
}
