/// Lets one thread at a time deliver the events that several threads append.
///
/// It is a part of the state that the queue's lock guards. A thread that has appended calls ``begin()``
/// under the lock, then or later. If that returns true, the thread delivers: it takes events with ``next(_:)``,
/// each under the lock, and handles them outside it, until there is none. Otherwise another thread
/// is delivering, and it also delivers the event that was just appended.
///
/// Inlinable, so that other modules compile it for their events.
@usableFromInline
package struct SingleDeliverer: Sendable {
    /// Whether a thread is delivering.
    @usableFromInline package internal(set) var isActive = false

    @inlinable package init() {}
}

extension SingleDeliverer {
    /// Makes the caller the deliverer. False if another thread is delivering.
    @inlinable
    package mutating func begin() -> Bool {
        defer { isActive = true }
        return !isActive
    }

    /// Ends the delivery, also if there are events left.
    mutating func pause() { isActive = false }

    /// The next event of the delivery; nil ends it, so that the next ``begin()`` returns true.
    @inlinable
    package mutating func next<Event: ~Copyable>(_ event: consuming Event?) -> Event? {
        isActive = event != nil
        return event
    }
}
