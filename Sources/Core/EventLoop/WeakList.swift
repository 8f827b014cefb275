/// Objects that are told of something for as long as they live.
///
/// What it gives is to be let go of outside every lock: it may be the last that holds an object.
struct WeakList<Element: AnyObject & Sendable>: Sendable {
    private struct Entry: Sendable {
        weak var element: Element?
    }

    private var entries: [Entry] = []

    /// Those that still live.
    var elements: [Element] { entries.compactMap(\.element) }

    /// Adds `element`, unless it is there. Returns those that still live.
    mutating func insert(_ element: Element) -> [Element] {
        let living = elements
        if !living.contains(where: { $0 === element }) {
            entries = (living + [element]).map { Entry(element: $0) }
        }
        return living
    }
}
