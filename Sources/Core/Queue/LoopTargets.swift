package import SwiftletTransport

/// An object with a descriptor that an event loop watches.
package protocol Pollable: AnyObject, Sendable {
    /// Called on the loop's thread, without a lock.
    func ready(_ readiness: Poller.Readiness, now: MonotonicInstant)
}

/// A channel whose calls run on a completion queue.
protocol QueueChannel: AnyObject, Sendable {
    /// Called once, from any thread.
    func queueWasShutDown()
}

/// An object with output that an event loop writes at the end of a turn.
package protocol Flushable: AnyObject, Sendable {
    func flush()
}
