/// The conditions with which the routes of a large table begin, as far as they compare bytes: all of the path or of a
/// header, or its beginning. Most routes fail one of them. Equal conditions are one, and are tried once for a call.
/// All are numbers in flat arrays, so a call passes a thousand routes without touching the routes themselves.
struct LeadingComparisons: Sendable {
    private struct Comparison {
        /// The place of the text.
        let text: Int
        let bytes: Range<Int>
        let isWhole: Bool
    }

    private var bytes: [UInt8] = []
    private var comparisons: [Comparison] = []
    /// The comparisons of all routes, one after the other.
    private var used: [Int] = []
    /// For each route, where its comparisons end in `used`.
    private var ends: [Int] = []

    /// - Parameters:
    ///   - routes: The matches of the routes.
    ///   - places: For each route, the places of the texts: first the path, then the headers.
    init(_ routes: [Route.Match], places: [[Int]]) {
        struct Key: Hashable {
            let text: Int
            let bytes: [UInt8]
            let isWhole: Bool
        }
        var known: [Key: Int] = [:]
        for (match, places) in zip(routes, places) {
            let patterns = [match.path.comparison] + match.headers.map(\.comparison)
            for (text, pattern) in zip(places, patterns) {
                guard let pattern else { break }
                let key = Key(text: text, bytes: pattern.bytes, isWhole: pattern.isWhole)
                if known[key] == nil {
                    known[key] = comparisons.count
                    let start = bytes.count
                    bytes += pattern.bytes
                    comparisons.append(
                        Comparison(
                            text: text, bytes: start..<bytes.count, isWhole: pattern.isWhole))
                }
                used.append(known[key] ?? 0)
            }
            ends.append(used.count)
        }
    }

    /// The comparisons for one call.
    struct Call {
        private enum Result { case unknown, holds, fails }
        private let all: LeadingComparisons
        private var results: [Result]
    }

    func begin() -> Call { Call(self) }
}

extension LeadingComparisons.Call {
    fileprivate init(_ all: LeadingComparisons) {
        self.all = all
        results = Array(repeating: .unknown, count: all.comparisons.count)
    }

    /// The number of the first comparison of a route that fails: 0 for the path, then the headers. Nil if none fails.
    mutating func failure(
        ofRoute index: Int, _ call: CallHeaders, _ names: [ByteText], _ texts: inout RouteTexts
    ) -> Int? {
        let start = index == 0 ? 0 : all.ends[index - 1]
        for place in start..<all.ends[index] {
            let number = all.used[place]
            if results[number] == .unknown {
                results[number] = all.holds(number, call, names, &texts) ? .holds : .fails
            }
            if results[number] == .fails { return place - start }
        }
        return nil
    }
}

extension LeadingComparisons {
    fileprivate func holds(
        _ number: Int, _ call: CallHeaders, _ names: [ByteText], _ texts: inout RouteTexts
    ) -> Bool {
        let comparison = comparisons[number]
        guard let text = texts.range(of: comparison.text, of: call, names) else { return false }
        let expected = comparison.bytes
        guard comparison.isWhole ? text.count == expected.count : text.count >= expected.count
        else { return false }
        for offset in 0..<expected.count
        where bytes[expected.lowerBound + offset] != texts.bytes[text.lowerBound + offset] {
            return false
        }
        return true
    }
}
