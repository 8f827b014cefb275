import Synchronization

/// Waits for many descriptors at once: epoll on Linux, kqueue on Darwin.
///
/// Descriptors are watched edge-triggered, in both directions, from the moment they are added: each
/// change is reported once. No system call is needed to request a report of writability after a
/// partial write, or to end these reports. The owner of a descriptor must read (or write) until the
/// system reports that it would block, or remember that there is more.
///
/// One thread waits. Any thread may add and remove descriptors, and wake up the waiting thread.
package final class Poller: Sendable {
    /// Not an option set, whose many operations take the compiler ten times as long.
    package struct Readiness: Equatable, Sendable {
        package private(set) var bits: UInt8

        static let none = Readiness(bits: 0)
        package static let readable = Readiness(bits: 1)
        package static let writable = Readiness(bits: 2)
        /// Readable, because the peer closed its side or the connection broke: read until the end of
        /// the stream or the error, even after a read that left room in its buffer.
        package static let hungUp = Readiness(bits: 4 | readable.bits)

        package func contains(_ other: Readiness) -> Bool { bits & other.bits == other.bits }

        package mutating func formUnion(_ other: Readiness) { bits |= other.bits }
    }

    package struct Event: Sendable {
        /// The token with which the descriptor was added.
        package let token: UInt64
        package let readiness: Readiness
    }

    private enum Phase: UInt8, AtomicRepresentable {
        /// The thread is running. It checks its queues before it waits.
        case working
        /// The thread is waiting, or begins to.
        case sleeping
        /// ``wakeUp()`` was called. The current or next wait returns at once.
        case woken
    }

    private let queue: EventQueue
    private let phase = Atomic(Phase.working)

    package init() throws(SystemError) {
        queue = try EventQueue()
    }
}

// MARK: - Watched descriptors

extension Poller {
    /// Watches `descriptor` until it is removed or closed. `token` must not be `UInt64.max`, which
    /// marks interruptions.
    package func add(_ descriptor: CInt, token: UInt64) throws(SystemError) {
        assert(token != .max)
        try queue.add(descriptor, token: token)
    }

    /// Stops watching. Call it before closing the descriptor. An earlier wait may have reported
    /// events already, so do not use the token again at once.
    package func remove(_ descriptor: CInt) throws(SystemError) {
        try queue.remove(descriptor)
    }
}

// MARK: - Waiting and waking

extension Poller {
    /// Waits, and replaces the contents of `events` with the new events. Returns without an event
    /// if `deadline` passes (nil means no limit) or ``wakeUp()`` was called.
    ///
    /// Allocates nothing if `events` has enough capacity.
    ///
    /// - Returns: Whether ``wakeUp()`` was called.
    @discardableResult
    package func wait(
        until deadline: MonotonicInstant?, into events: inout [Event]
    ) throws(SystemError) -> Bool {
        events.removeAll(keepingCapacity: true)
        let mayNotSleep = !phase.compareExchange(
            expected: .working, desired: .sleeping, ordering: .acquiringAndReleasing
        ).exchanged
        // From here on, `wakeUp()` ends this wait. After the wait, the caller checks its queues. It
        // finds the work that the other thread queued before `wakeUp()`.
        do throws(SystemError) {
            try queue.wait(
                milliseconds: mayNotSleep ? 0 : Self.milliseconds(until: deadline), &events)
        } catch {
            _ = phase.exchange(.working, ordering: .acquiringAndReleasing)
            throw error
        }
        return phase.exchange(.working, ordering: .acquiringAndReleasing) == .woken
    }

    /// Makes the waiting thread return from ``wait(until:into:)``. If no thread waits, the next
    /// wait returns at once. Needs a system call only if the thread waits and was not woken up
    /// already.
    package func wakeUp() {
        guard phase.exchange(.woken, ordering: .acquiringAndReleasing) == .sleeping else { return }
        queue.interrupt()
    }

    /// The longest wait for a deadline, in seconds. The clock of deadlines runs while the system sleeps; the
    /// clock of the kernel's waits does not. So after a sleep, a deadline is noticed this late at most.
    private static let maxWaitSeconds: Int64 = 30

    /// Rounds up, because a wait that ends early would make the loop spin until the deadline.
    static func milliseconds(until deadline: MonotonicInstant?) -> CInt {
        guard let deadline else { return -1 }
        let left = MonotonicInstant.now.duration(to: deadline)
        guard left > .zero else { return 0 }
        let (seconds, attoseconds) = left.components
        guard seconds < maxWaitSeconds else { return CInt(maxWaitSeconds) * 1_000 }
        return CInt(seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
