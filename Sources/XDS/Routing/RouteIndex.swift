import SwiftletBalancing
import SwiftletTransport

/// Finds the few routes of a large table that a call can match, without touching the others.
///
/// Most conditions compare bytes: all of the path or of a header, or its beginning. Of those with which a route begins, it is
/// listed under the one that the fewest routes have. All comparisons that hold for a call are found at once.
struct RouteIndex: Sendable {
    /// The comparisons with one text.
    fileprivate struct Text: Sendable {
        /// The numbers of the comparisons with the whole text.
        var whole: [[UInt8]: Int] = [:]
        var beginnings: [[UInt8]: Int] = [:]
        /// The beginnings in order. Each has the place of the longest other one that it begins with.
        var sorted: [(bytes: [UInt8], number: Int, parent: Int?)] = []
    }

    private var texts: [Text]
    /// For each comparison, its routes in their order.
    private var routes: [[Int]] = []
    /// The routes that begin with another condition.
    private var others: [Int] = []

    /// - Parameters:
    ///   - matches: Those of the routes.
    ///   - places: For each route, the places of the texts: first the path, then the headers.
    ///   - textCount: The number of texts.
    init(_ matches: [Route.Match], places: [[Int]], textCount: Int) {
        texts = Array(repeating: Text(), count: textCount)
        var useCounts: [Int] = []
        let used = zip(matches, places).map { match, places in
            var numbers: [Int] = []
            let patterns = [match.path.comparison] + match.headers.map(\.comparison)
            for (text, pattern) in zip(places, patterns) {
                guard let pattern else { break }
                let kind = pattern.isWhole ? \Text.whole : \Text.beginnings
                let number = texts[text][keyPath: kind][pattern.bytes] ?? useCounts.count
                if number == useCounts.count {
                    texts[text][keyPath: kind][pattern.bytes] = number
                    useCounts.append(0)
                }
                useCounts[number] += 1
                numbers.append(number)
            }
            return numbers
        }
        routes = Array(repeating: [], count: useCounts.count)
        for (route, numbers) in used.enumerated() {
            if let rarest = numbers.min(by: { useCounts[$0] < useCounts[$1] }) {
                routes[rarest].append(route)
            } else {
                others.append(route)
            }
        }
        for place in texts.indices { texts[place].sort() }
    }

    /// The places of the routes that the call can match, in their order. No other route matches it.
    ///
    /// - Parameter names: Those of the headers, in lower case, at their places. The first is not used.
    func candidates(for call: CallHeaders, _ names: [ByteText]) -> [Int] {
        var found = others
        var listCount = found.isEmpty ? 0 : 1
        for (place, text) in texts.enumerated() {
            let value =
                place == RouteTexts.pathPlace
                ? Array(call.path.utf8) : call.value(of: names[place])
            guard let value else { continue }
            text.forEach(in: value) { number in
                if !routes[number].isEmpty { listCount += 1 }
                found += routes[number]
            }
        }
        return listCount > 1 ? found.inOrder() : found
    }
}

extension RouteIndex.Text {
    fileprivate mutating func sort() {
        let inOrder = beginnings.inOrder { $0.key.lexicographicallyPrecedes($1.key) }
        // The places of those that the last one begins with, the shortest first.
        var open: [Int] = []
        for (place, beginning) in inOrder.enumerated() {
            while let last = open.last, !beginning.key.starts(with: inOrder[last].key) {
                open.removeLast()
            }
            sorted.append((beginning.key, beginning.value, parent: open.last))
            open.append(place)
        }
        beginnings = [:]
    }

    /// Calls `body` with the number of each comparison that holds for the text.
    fileprivate func forEach(in text: [UInt8], _ body: (Int) -> Void) {
        if let number = whole[text] { body(number) }
        // All that lies between a beginning of the text and the text has this beginning, too. So what holds is among
        // the last one that does not follow the text, and those that this one begins with.
        let following = sorted.firstPlace { text.lexicographicallyPrecedes($0.bytes) }
        var place = following > 0 ? following - 1 : nil
        while let last = place, !text.starts(with: sorted[last].bytes) {
            place = sorted[last].parent
        }
        while let holding = place {
            body(sorted[holding].number)
            place = sorted[holding].parent
        }
    }
}
