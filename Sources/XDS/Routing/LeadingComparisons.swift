/// The conditions with which the routes of a large table begin, as far as they compare bytes: all of the path or of a
/// header, or its beginning. Most routes fail one of them. Equal conditions are one, and are tried once for a call.
/// All are small numbers in flat arrays, so a call passes a thousand routes without touching the routes themselves.
struct LeadingComparisons: Sendable {
    fileprivate enum Result { case unknown, holds, fails }

    private struct Comparison {
        /// The place of the text.
        let text: Int
        /// What the text begins with.
        let bytes: Range<Int>
    }

    private var bytes: [UInt8] = []
    private var comparisons: [Comparison] = []
    /// For each comparison what is known before a call: one with the whole text fails, unless it is found in `whole`.
    private var results: [Result] = []
    /// For each text, the comparisons with all of it.
    private var whole: [[[UInt8]: Int]] = []
    /// The comparisons of all routes, one after the other.
    private var used: [UInt32] = []
    /// For each route, where its comparisons end in `used`.
    private var ends: [UInt32] = []

    /// - Parameters:
    ///   - routes: The matches of the routes.
    ///   - places: For each route, the places of the texts: first the path, then the headers.
    ///   - textCount: The number of texts.
    init(_ routes: [Route.Match], places: [[Int]], textCount: Int) {
        var beginnings: [[[UInt8]: Int]] = Array(repeating: [:], count: textCount)
        whole = beginnings
        for (match, places) in zip(routes, places) {
            let patterns = [match.path.comparison] + match.headers.map(\.comparison)
            for (text, pattern) in zip(places, patterns) {
                guard let pattern else { break }
                let known = pattern.isWhole ? whole[text] : beginnings[text]
                if let number = known[pattern.bytes] {
                    used.append(UInt32(number))
                    continue
                }
                let number = comparisons.count
                used.append(UInt32(number))
                results.append(pattern.isWhole ? .fails : .unknown)
                if pattern.isWhole {
                    whole[text][pattern.bytes] = number
                    comparisons.append(Comparison(text: text, bytes: 0..<0))
                } else {
                    beginnings[text][pattern.bytes] = number
                    let start = bytes.count
                    bytes += pattern.bytes
                    comparisons.append(Comparison(text: text, bytes: start..<bytes.count))
                }
            }
            ends.append(UInt32(used.count))
        }
    }

    /// The comparisons for one call.
    struct Call {
        private let all: LeadingComparisons
        private var results: [Result]
        /// The texts of the call; nil for one that it does not have.
        private var texts: [[UInt8]?]
    }

    /// - Parameter names: Those of the headers, in lower case, at their places. The first is not used.
    func begin(_ call: CallHeaders, _ names: [ByteText]) -> Call { Call(self, call, names) }
}

extension LeadingComparisons.Call {
    fileprivate init(_ all: LeadingComparisons, _ call: CallHeaders, _ names: [ByteText]) {
        self.all = all
        results = all.results
        texts = names.indices.map { place in
            place == RouteTexts.pathPlace ? Array(call.path.utf8) : call.value(of: names[place])
        }
        for (place, text) in texts.enumerated() {
            if let text, let number = all.whole[place][text] { results[number] = .holds }
        }
    }

    /// The first of the routes from a place on of which no comparison fails; nil if there is none.
    mutating func firstRoute(from index: Int) -> Int? {
        for route in index..<all.ends.count where failure(ofRoute: route) == nil { return route }
        return nil
    }

    /// The number of the first comparison of a route that fails: 0 for the path, then the headers. Nil if none fails.
    mutating func failure(ofRoute index: Int) -> Int? {
        let start = index == 0 ? 0 : Int(all.ends[index - 1])
        for place in start..<Int(all.ends[index]) {
            let number = Int(all.used[place])
            if results[number] == .unknown { results[number] = beginning(number) }
            if results[number] == .fails { return place - start }
        }
        return nil
    }

    private func beginning(_ number: Int) -> LeadingComparisons.Result {
        let comparison = all.comparisons[number]
        guard let text = texts[comparison.text], text.starts(with: all.bytes[comparison.bytes])
        else { return .fails }
        return .holds
    }
}
