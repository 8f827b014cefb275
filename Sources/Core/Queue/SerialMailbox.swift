import SwiftletTransport
import Synchronization

/// Handles events one at a time, in the order in which any threads post them.
///
/// If no event is being handled, the thread that posts an event handles it. That thread also
/// handles the events that other threads post in the meantime.
package struct SerialMailbox<Event: Sendable>: ~Copyable, Sendable {
    /// Internal and not private: the compiler (6.3) cannot build a private one in another file's type.
    struct State: ~Copyable {
        var events = Backlog<Event>()
        var deliverer = SingleDeliverer()
    }

    private let state = Mutex(State())

    package init() {}
}

extension SerialMailbox {
    /// Appends an event. If it returns true, the caller must call ``next()`` until that returns nil.
    package func post(_ event: Event) -> Bool {
        state.withLock { state in
            state.events.append(event)
            return state.deliverer.begin()
        }
    }

    /// Handles an event, and those that are posted in the meantime. If another thread is handling
    /// events, it handles this one too.
    package func handle(_ event: Event, _ body: (Event) -> Void) {
        handle(orKeep: event, now: { body(event) }, body)
    }

    /// Like ``handle(_:_:)``, for an event that is costly to create: it is created only if another
    /// thread is handling events. Otherwise `now` handles it.
    package func handle(
        orKeep event: @autoclosure () -> Event, now: () -> Void, _ body: (Event) -> Void
    ) {
        let isDeliverer = state.withLock { state in
            if state.deliverer.isActive { state.events.append(event()) }
            return state.deliverer.begin()
        }
        guard isDeliverer else { return }
        now()
        while let event = next() { body(event) }
    }

    /// The next event to handle; nil ends the caller's turn.
    package func next() -> Event? {
        state.withLock { $0.deliverer.next($0.events.popFirst()) }
    }
}
