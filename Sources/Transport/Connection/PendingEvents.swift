/// Events that could not be returned at once: one input can cause many.
struct PendingEvents {
    private var events: [Connection.Event] = []
    private var firstIndex = 0

    var isEmpty: Bool { firstIndex == events.count }

    mutating func append(_ event: Connection.Event) { events.append(event) }

    mutating func popFirst() -> Connection.Event? {
        guard firstIndex < events.count else { return nil }
        let event = events[firstIndex]
        firstIndex += 1
        if firstIndex == events.count {
            events.removeAll(keepingCapacity: true)
            firstIndex = 0
        }
        return event
    }
}
