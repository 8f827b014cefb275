#if SWIFTLET_WATCHED_LOCKS
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Stands in for the standard library's `Mutex` where ThreadSanitizer watches: that one waits
    /// in a way of its own on Linux, which the sanitizer does not know, and sees races everywhere.
    ///
    /// Each module that has locks names it `Mutex` in a build with `SWIFTLET_WATCHED_LOCKS`, which
    /// has to leave `MemberImportVisibility` out: files import the module of the other one.
    @safe package struct WatchedMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        // Unchecked and called safe, because both live at fixed addresses from init to deinit, and
        // the value is reached under the lock alone.
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
            unsafe pthread_mutex_lock(lock)
            defer { unsafe pthread_mutex_unlock(lock) }
            return unsafe try body(&value.pointee)
        }
    }

    typealias Mutex = WatchedMutex
#endif
