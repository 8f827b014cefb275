import Synchronization

/// Waits for many descriptors at once: epoll on Linux, kqueue on Darwin.
///
/// Descriptors are watched for edges, in both directions, from the moment they are added: what
/// happened is reported once, and there is no system call to ask for "writable" when a write was
/// cut short or to stop asking afterwards. In return the owner of a descriptor must go on reading
/// (or writing) until the system says it would block, or remember that there is more.
///
/// One thread waits; any thread may add, remove and wake up.
package final class Poller: Sendable {
    package struct Readiness: OptionSet, Hashable, Sendable {
        package let rawValue: UInt8

        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let readable = Readiness(rawValue: 1)
        package static let writable = Readiness(rawValue: 2)
        /// The peer closed its side, or the connection broke: read until the end of the stream or
        /// the error, even after a read that left room in its buffer.
        package static let hungUp = Readiness(rawValue: 4)
    }

    package struct Event: Hashable, Sendable {
        /// What the descriptor was added with.
        package var token: UInt64
        package var readiness: Readiness
    }

    private enum Phase: UInt8, AtomicRepresentable {
        /// The waiting thread is at work and will look at its queues before it sleeps.
        case working
        /// It sleeps, or is about to.
        case sleeping
        /// Somebody asked it to look at its queues; it has not come round to it yet.
        case woken
    }

    private let queue: EventQueue
    private let phase = Atomic(Phase.working)

    package init() throws(SystemError) {
        queue = try EventQueue()
    }
}

// MARK: - What is watched

extension Poller {
    /// Watches `descriptor` until it is removed or closed. `UInt64.max` is no token: it is what
    /// interruptions are told by.
    package func add(_ descriptor: CInt, token: UInt64) throws(SystemError) {
        assert(token != .max)
        try queue.add(descriptor, token: token)
    }

    /// Watches `descriptor` under another token; what is ready now is reported again.
    package func modify(_ descriptor: CInt, token: UInt64) throws(SystemError) {
        try queue.modify(descriptor, token: token)
    }

    /// Stops watching. To be called before the descriptor is closed. Events that an earlier wait
    /// has already reported are still on their way, so tokens must not be used again at once.
    package func remove(_ descriptor: CInt) throws(SystemError) {
        try queue.remove(descriptor)
    }
}

// MARK: - Waiting and waking

extension Poller {
    /// Puts what happened into `events`, in place of what was there. Returns without an event
    /// when `deadline` passes (nil waits for ever) or when ``wakeUp()`` was called.
    ///
    /// Nothing is allocated when `events` has kept its memory.
    ///
    /// - Returns: Whether somebody called ``wakeUp()``.
    @discardableResult
    package func wait(
        until deadline: MonotonicInstant?, into events: inout [Event]
    ) throws(SystemError) -> Bool {
        events.removeAll(keepingCapacity: true)
        let mayNotSleep = !phase.compareExchange(
            expected: .working, desired: .sleeping, ordering: .acquiringAndReleasing
        ).exchanged
        // Whoever wakes us up from here on finds the phase changed: his work is visible to the
        // caller, who looks at his queues after this returns.
        do throws(SystemError) {
            try queue.wait(
                milliseconds: mayNotSleep ? 0 : Self.milliseconds(until: deadline), &events)
        } catch {
            _ = phase.exchange(.working, ordering: .acquiringAndReleasing)
            throw error
        }
        return phase.exchange(.working, ordering: .acquiringAndReleasing) == .woken
    }

    /// Makes the waiting thread return from ``wait(until:into:)``, or not begin to wait. Costs a
    /// system call only when that thread sleeps and nobody else woke it up already.
    package func wakeUp() {
        guard phase.exchange(.woken, ordering: .acquiringAndReleasing) == .sleeping else { return }
        queue.interrupt()
    }

    /// Rounded up: a wait that ends early would make the loop spin until the deadline.
    private static func milliseconds(until deadline: MonotonicInstant?) -> CInt {
        guard let deadline else { return -1 }
        let left = MonotonicInstant.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        // An hour at most, which is long enough to wait once and short enough to be counted.
        guard seconds < 3_600 else { return 3_600_000 }
        return CInt(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
