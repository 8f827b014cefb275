#if SWIFTLET_WATCHED_LOCKS
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Replaces the standard library's `Mutex` where locks are watched: each acquisition is checked
    /// against ``LockOrder``. ThreadSanitizer needs it, too: on Linux, the standard `Mutex` waits with
    /// a system call that ThreadSanitizer does not support, so it would report races that do not exist.
    ///
    /// In a build with `SWIFTLET_WATCHED_LOCKS`, each module that has locks declares this type as
    /// `Mutex`. That build disables `MemberImportVisibility`, because files import only the module
    /// of the standard `Mutex`.
    @safe package struct WatchedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Unchecked and `@safe`, because both pointers are valid from init to deinit, and the value
        // is used only under the lock.
        private let value: UnsafeMutablePointer<Value>
        private let lock: UnsafeMutablePointer<pthread_mutex_t>

        package init(_ initial: consuming sending Value) {
            unsafe value = .allocate(capacity: 1)
            unsafe value.initialize(to: initial)
            unsafe lock = .allocate(capacity: 1)
            unsafe pthread_mutex_init(lock, nil)
        }

        deinit {
            unsafe value.deinitialize(count: 1)
            unsafe value.deallocate()
            unsafe pthread_mutex_destroy(lock)
            unsafe lock.deallocate()
        }

        package borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            HeldLocks.willTake(LockOrder.Kind<Value>.self, at: unsafe UInt(bitPattern: lock))
            unsafe pthread_mutex_lock(lock)
            defer {
                unsafe pthread_mutex_unlock(lock)
                HeldLocks.released()
            }
            return unsafe try body(&value.pointee)
        }
    }

    typealias Mutex = WatchedMutex
#endif
