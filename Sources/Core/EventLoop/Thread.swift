#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread of the operating system. Nothing waits for it: it ends when its body returns.
package enum Thread {
    /// Names a thread among those that run now.
    typealias ID = UInt

    static var currentID: ID {
        #if canImport(Glibc)
            pthread_self()
        #else
            // A pointer whose value, and nothing behind it, is used.
            unsafe UInt(bitPattern: pthread_self())
        #endif
    }

    /// Starts a thread that runs `body`. False when the system has no more threads.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let box = unsafe Unmanaged.passRetained(Body(body))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        // The new thread takes over the reference that the box holds; the closure captures
        // nothing, so it is a plain function.
        let code = unsafe pthread_create(
            &thread, nil,
            { argument in
                #if canImport(Darwin)
                    unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                #else
                    if let argument = unsafe argument {
                        unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                    }
                #endif
                return nil
            }, unsafe box.toOpaque())
        guard code == 0 else {
            unsafe box.release()
            return false
        }
        #if canImport(Glibc)
            pthread_detach(thread)
        #else
            if let thread = unsafe thread { unsafe pthread_detach(thread) }
        #endif
        return true
    }

    /// Lets the calling thread sleep, at least so long.
    static func rest(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(
            tv_sec: .init(seconds), tv_nsec: .init(attoseconds / 1_000_000_000))
        // The structure is ours; a signal that ends the rest early does no harm.
        unsafe nanosleep(&time, nil)
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
