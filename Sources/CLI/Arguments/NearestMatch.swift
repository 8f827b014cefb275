/// Finds the word that was probably meant.
enum NearestMatch {
    /// `; did you mean 'x'?` for the candidate that is nearest to `word`; empty if none is near.
    static func hint(for word: String, among candidates: some Sequence<String>) -> String {
        nearest(to: word, among: candidates).map { "; did you mean '\($0)'?" } ?? ""
    }

    /// The candidate that needs the fewest edits. Nil if it needs more edits than the limit. The limit is 2, or a third
    /// of the character count of `word` if that is more. It is always less than the character count of the longer word.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        let lowercased = word.lowercased()
        let ranked = candidates.map { ($0, distance(lowercased, $0.lowercased())) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }) else { return nil }
        let allowed = min(max(2, word.count / 3), max(word.count, best.0.count) - 1)
        return best.1 <= allowed ? best.0 : nil
    }

    /// The number of characters to insert, remove, replace, or swap with the next one.
    static func distance(_ one: String, _ other: String) -> Int {
        let (one, other) = (Array(one), Array(other))
        var beforeLast: [Int] = []
        var last = Array(0...other.count)
        for row in one.indices {
            var current = [row + 1]
            for column in other.indices {
                let isEqual = one[row] == other[column]
                var best = min(
                    last[column] + (isEqual ? 0 : 1), last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, one[row] == other[column - 1], one[row - 1] == other[column]
                {
                    best = min(best, beforeLast[column - 1] + 1)
                }
                current.append(best)
            }
            (beforeLast, last) = (last, current)
        }
        return last[other.count]
    }
}
