/// Weak references to objects.
///
/// Release its results outside every lock: they may be the last references.
struct WeakList<Element: AnyObject & Sendable>: Sendable {
    private struct Entry: Sendable {
        weak var element: Element?
    }

    private var entries: [Entry] = []

    /// The objects that still exist.
    var elements: [Element] { entries.compactMap(\.element) }

    /// Adds `element`, unless it is in the list. Returns the objects that still exist.
    mutating func insert(_ element: Element) -> [Element] {
        let living = elements
        if !living.contains(where: { $0 === element }) {
            entries = (living + [element]).map { Entry(element: $0) }
        }
        return living
    }
}
