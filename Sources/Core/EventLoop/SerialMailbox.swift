import SwiftletTransport
import Synchronization

/// Events that any thread may leave and that are handled one at a time, in the order in which
/// they were left: who finds nobody at it handles what there is, and what is added meanwhile.
package final class SerialMailbox<Event: Sendable>: Sendable {
    private struct State {
        var events = Backlog<Event>()
        var isHandled = false
    }

    private let state = Mutex(State())

    package init() {}
}

extension SerialMailbox {
    /// Leaves an event. Whoever is told `true` has to call ``next()`` until it gives nil.
    package func post(_ event: Event) -> Bool {
        state.withLock { state in
            state.events.append(event)
            defer { state.isHandled = true }
            return !state.isHandled
        }
    }

    /// Handles an event, and those that are left meanwhile; or leaves it to whoever is at it.
    package func handle(_ event: Event, _ body: (Event) -> Void) {
        let isMine = state.withLock { state in
            if state.isHandled { state.events.append(event) }
            defer { state.isHandled = true }
            return !state.isHandled
        }
        guard isMine else { return }
        body(event)
        while let event = next() { body(event) }
    }

    /// The event whose turn it is; nil leaves the mailbox to whoever posts next.
    package func next() -> Event? {
        state.withLock { state in
            let event = state.events.popFirst()
            if event == nil { state.isHandled = false }
            return event
        }
    }
}
