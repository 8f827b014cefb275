/// Objects that are told of something for as long as they live.
struct WeakList<Element: AnyObject & Sendable>: Sendable {
    private struct Entry: Sendable {
        weak var element: Element?
    }

    private var entries: [Entry] = []
    /// How many there may be before those are looked for that are gone.
    private var limit = 16

    /// Those that still live.
    var elements: [Element] { entries.compactMap(\.element) }

    mutating func append(_ element: Element) {
        if entries.count >= limit {
            entries.removeAll { $0.element == nil }
            limit = max(16, 2 * entries.count)
        }
        entries.append(Entry(element: element))
    }
}
