/// A search for an earlier text, which Ctrl-R begins. Each typed character narrows it.
struct HistorySearch {
    private let entries: [String]
    /// The text that was edited before the search.
    let draft: String
    private var query = ""
    /// The index of the entry that was found; the count of the entries before any was found.
    private var place: Int
    private var hasFailed = false

    init(_ history: LineHistory, draft: String) {
        entries = history.entries
        self.draft = draft
        place = entries.count
    }

    /// The text that was found; the draft before any was found.
    var found: String { place < entries.count ? entries[place] : draft }

    var prompt: String { hasFailed ? "(no match: '\(query)') " : "(search: '\(query)') " }

    /// Adds a character. The entry that was found stays if it still fits.
    mutating func append(_ character: Character) {
        query.append(character)
        find(from: min(place, entries.count - 1))
    }

    /// Removes a character, and searches from the latest entry.
    mutating func removeLast() {
        if !query.isEmpty { query.removeLast() }
        place = entries.count
        hasFailed = false
        if !query.isEmpty { find(from: entries.count - 1) }
    }

    /// Finds the next older entry with another text.
    mutating func findOlder() {
        let current = found
        var start = place - 1
        while start >= 0, entries[start] == current { start -= 1 }
        if !query.isEmpty { find(from: start) }
    }

    private mutating func find(from start: Int) {
        var index = start
        while index >= 0, entries[index].firstOccurrence(of: query) == nil { index -= 1 }
        hasFailed = index < 0
        if !hasFailed { place = index }
    }
}
