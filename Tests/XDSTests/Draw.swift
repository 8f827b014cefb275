/// Draws the same part of every range.
struct Draw: RandomNumberGenerator {
    private let bits: UInt64

    /// Draws this number below the bound.
    init(_ number: UInt64 = 0, of bound: UInt64 = 1_000_000) {
        // The middle of the part: `next(upperBound:)` asks again at its beginning.
        bits = (2 * bound).dividingFullWidth((2 * number + 1, 0)).quotient
    }

    mutating func next() -> UInt64 { bits }
}
