import SwiftletTransport

/// A task that waits for one value.
///
/// Uses a continuation that the runtime does not check, because a checked one costs an allocation
/// for each call. This is safe: before code resumes a resumption, it removes the resumption from a
/// state under the lock of that state. So each is resumed once.
@safe package struct Resumption<Value: Sendable>: Sendable {
    private let continuation: UnsafeContinuation<Value, Never>

    #if !SWIFTLET_WATCHED_LOCKS
        private init(_ continuation: UnsafeContinuation<Value, Never>) {
            unsafe self.continuation = continuation
        }

        /// Suspends the task. `begin` keeps the resumption, or resumes it at once.
        package static func wait(_ begin: (Resumption) -> Void) async -> Value {
            await unsafe withUnsafeContinuation { unsafe begin(Resumption($0)) }
        }

        package func resume(returning value: consuming Value) {
            unsafe continuation.resume(returning: value)
        }
    #else
        private let handover: WatchedHandover

        private init(_ continuation: UnsafeContinuation<Value, Never>, _ handover: WatchedHandover)
        {
            unsafe self.continuation = continuation
            self.handover = handover
        }

        package static func wait(_ begin: (Resumption) -> Void) async -> Value {
            let handover = WatchedHandover()
            defer { handover.pass() }
            return await unsafe withUnsafeContinuation { unsafe begin(Resumption($0, handover)) }
        }

        package func resume(returning value: consuming Value) {
            handover.pass()
            HeldLocks.assertNone(calling: "executor of a task")
            unsafe continuation.resume(returning: value)
        }
    #endif
}

#if SWIFTLET_WATCHED_LOCKS
    /// Shows ThreadSanitizer that a task continues only after the thread that resumed it.
    /// ThreadSanitizer cannot detect that order in the runtime's code, and would report races that
    /// do not exist.
    private final class WatchedHandover: Sendable {
        private let lock = Mutex(())

        func pass() { lock.withLock { _ in } }
    }
#endif

extension Resumption<Void> {
    package func resume() { resume(returning: ()) }
}
