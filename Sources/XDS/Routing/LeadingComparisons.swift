/// The conditions with which the routes of a large table begin, as far as they compare bytes: all of the path or of a
/// header, or its beginning. Most routes fail one of them. Equal conditions are one, and are tried once for a call.
/// All are numbers in flat arrays, so a call passes a thousand routes without touching the routes themselves.
struct LeadingComparisons: Sendable {
    private struct Comparison {
        /// The place of the text.
        let text: Int
        let bytes: Range<Int>
        let isWhole: Bool
        /// Where the result is kept, if several routes have the comparison.
        var result: Int?
    }

    private var bytes: [UInt8] = []
    private var comparisons: [Comparison] = []
    private var resultCount = 0
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
                if let number = known[key] {
                    share(number)
                    used.append(number)
                    continue
                }
                known[key] = comparisons.count
                used.append(comparisons.count)
                let start = bytes.count
                bytes += pattern.bytes
                comparisons.append(
                    Comparison(text: text, bytes: start..<bytes.count, isWhole: pattern.isWhole))
            }
            ends.append(used.count)
        }
    }

    private mutating func share(_ number: Int) {
        guard comparisons[number].result == nil else { return }
        comparisons[number].result = resultCount
        resultCount += 1
    }

    /// The comparisons for one call.
    struct Call {
        private let all: LeadingComparisons
        private var results: [Bool?]
        /// The texts of the call, one after the other, and where each is; nil for one that the call does not have.
        private var bytes: [UInt8] = []
        private var ranges: [Range<Int>?] = []
    }

    /// - Parameter names: Those of the headers, in lower case, at their places. The first is not used.
    func begin(_ call: CallHeaders, _ names: [ByteText]) -> Call { Call(self, call, names) }
}

extension LeadingComparisons.Call {
    fileprivate init(_ all: LeadingComparisons, _ call: CallHeaders, _ names: [ByteText]) {
        self.all = all
        results = Array(repeating: nil, count: all.resultCount)
        ranges.reserveCapacity(names.count)
        for (place, name) in names.enumerated() {
            let start = bytes.count
            if place == RouteTexts.pathPlace {
                bytes += call.path.utf8
            } else if let value = call.value(of: name) {
                bytes += value
            } else {
                ranges.append(nil)
                continue
            }
            ranges.append(start..<bytes.count)
        }
    }

    /// The first of the routes from a place on of which no comparison fails; nil if there is none.
    mutating func firstRoute(from index: Int) -> Int? {
        for route in index..<all.ends.count where failure(ofRoute: route) == nil { return route }
        return nil
    }

    /// The number of the first comparison of a route that fails: 0 for the path, then the headers. Nil if none fails.
    mutating func failure(ofRoute index: Int) -> Int? {
        let start = index == 0 ? 0 : all.ends[index - 1]
        for place in start..<all.ends[index] where !holds(all.used[place]) { return place - start }
        return nil
    }

    private mutating func holds(_ number: Int) -> Bool {
        guard let result = all.comparisons[number].result else { return compare(number) }
        if let holds = results[result] { return holds }
        let holds = compare(number)
        results[result] = holds
        return holds
    }

    private func compare(_ number: Int) -> Bool {
        guard let text = ranges[all.comparisons[number].text] else { return false }
        let expected = all.comparisons[number].bytes
        guard
            all.comparisons[number].isWhole
                ? text.count == expected.count : text.count >= expected.count
        else { return false }
        for offset in 0..<expected.count
        where all.bytes[expected.lowerBound + offset] != bytes[text.lowerBound + offset] {
            return false
        }
        return true
    }
}
