import SwiftletTransport
import Synchronization

/// A task or a thread that waits for one value.
///
/// Uses a continuation that the runtime does not check, because a checked one costs an allocation
/// for each call. This is safe: before code resumes a resumption, it removes the resumption from a
/// state under the lock of that state. So each is resumed once.
@safe package struct Resumption<Value: Sendable>: Sendable {
    @safe private enum Waiter: Sendable {
        case task(UnsafeContinuation<Value, Never>)
        case thread(@Sendable (Value) -> Void)
    }

    private let waiter: Waiter
    private let handover: WatchedHandover

    /// Suspends the task. `begin` keeps the resumption, or resumes it at once.
    package static func wait(_ begin: (Resumption) -> Void) async -> Value {
        let handover = WatchedHandover()
        defer { handover.pass() }
        return await unsafe withUnsafeContinuation { continuation in
            begin(Resumption(waiter: unsafe .task(continuation), handover: handover))
        }
    }

    /// A thread that waits, and that `wake` wakes.
    package init(thread wake: @escaping @Sendable (Value) -> Void) {
        self.init(waiter: .thread(wake), handover: WatchedHandover())
    }

    private init(waiter: Waiter, handover: WatchedHandover) {
        self.waiter = waiter
        self.handover = handover
    }

    package func resume(returning value: consuming Value) {
        handover.pass()
        HeldLocks.assertNone(calling: "executor of a task")
        switch waiter {
        case .task(let continuation): unsafe continuation.resume(returning: value)
        case .thread(let wake): wake(value)
        }
    }
}

extension Resumption<Void> {
    package func resume() { resume(returning: ()) }
}

#if SWIFTLET_WATCHED_LOCKS
    /// Shows ThreadSanitizer that a task continues only after the thread that resumed it.
    /// ThreadSanitizer cannot detect that order in the runtime's code, and would report races that
    /// do not exist.
    private final class WatchedHandover: Sendable {
        private let lock = Mutex(())

        func pass() { lock.withLock { _ in } }
    }
#else
    private struct WatchedHandover {
        func pass() {}
    }
#endif
