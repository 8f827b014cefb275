#if SWIFTLET_WATCHED_LOCKS
    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The locks that the current thread holds. Stops the program when a thread breaks ``LockOrder``.
    package enum HeldLocks {
        /// Stops the program if the current thread holds a lock. Called before code of the program: it
        /// may take any time, and may need the same lock.
        package static func assertNone(calling callee: StaticString) {
            let held = Thread.current
            guard !held.locks.isEmpty else { return }
            stop(LockOrder.ofPackage.violation(calling: "\(callee)", holding: held.named))
        }

        /// - Parameter kind: The ``LockOrder/Kind`` of the lock's value.
        static func willTake(_ kind: any Any.Type, at address: UInt) {
            let held = Thread.current
            let lock = Held(kind: kind, address: address)
            if !held.locks.isEmpty {
                stop(LockOrder.ofPackage.violation(taking: lock.named, holding: held.named))
            }
            held.locks.append(lock)
        }

        static func released() { Thread.current.locks.removeLast() }

        private static func stop(_ violation: String?) {
            if let violation { fatalError(violation) }
        }

        private struct Held {
            let kind: any Any.Type
            let address: UInt

            /// Only a thread that takes a second lock needs names.
            var named: LockOrder.Lock {
                LockOrder.Lock(name: LockOrder.name(of: kind), address: address)
            }
        }

        /// The locks of one thread, which alone uses the object.
        private final class Thread {
            var locks: [Held] = []

            var named: [LockOrder.Lock] { locks.map(\.named) }

            static var current: Thread {
                // The key's value is a reference that this function has retained. It lives until the thread ends.
                if let known = unsafe pthread_getspecific(key) {
                    return unsafe Unmanaged<Thread>.fromOpaque(known).takeUnretainedValue()
                }
                let new = Thread()
                _ = unsafe pthread_setspecific(key, Unmanaged.passRetained(new).toOpaque())
                return new
            }

            private static let key: pthread_key_t = {
                var key = pthread_key_t()
                let code = unsafe pthread_key_create(&key) { value in
                    #if canImport(Darwin)
                        unsafe Unmanaged<Thread>.fromOpaque(value).release()
                    #else
                        if let value = unsafe value {
                            unsafe Unmanaged<Thread>.fromOpaque(value).release()
                        }
                    #endif
                }
                precondition(code == 0, "the system has no key left for the locks of a thread")
                return key
            }()
        }
    }
#else
    /// Checks in builds with watched locks that no lock is held. In other builds it is empty.
    package enum HeldLocks {
        @inlinable @inline(__always)
        package static func assertNone(calling callee: StaticString) {}
    }
#endif
