import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A thread of the operating system. It ends when its body returns. No other thread joins it.
package enum Thread {
    /// Identifies a running thread.
    package typealias ID = UInt

    package static var currentID: ID {
        #if canImport(Glibc)
            pthread_self()
        #else
            // Only the value of the pointer is used, not its target.
            unsafe UInt(bitPattern: pthread_self())
        #endif
    }

    /// The stack size of each thread. A message nested 100 deep needs more than the 128 KiB of musl
    /// or the 512 KiB of Darwin. Unused pages cost nothing.
    private static let stackByteCount = 4 << 20

    /// Starts a thread that runs `body`. Returns false if the system cannot start a thread.
    ///
    /// - Parameter name: The name in debuggers and `top -H`. Linux cuts it after 15 bytes.
    package static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        var attributes = pthread_attr_t()
        // The structure is valid until it is destroyed below.
        guard unsafe pthread_attr_init(&attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(&attributes) }
        // On a smaller stack, a deeply nested message would cause an overflow.
        guard unsafe pthread_attr_setstacksize(&attributes, stackByteCount) == 0 else {
            return false
        }
        let box = unsafe Unmanaged.passRetained(Body(name, body))
        #if canImport(Glibc)
            var thread = pthread_t()
        #else
            var thread: pthread_t?
        #endif
        // The new thread takes over the reference to the box. The closure captures nothing, so it
        // can be a C function.
        let code = unsafe pthread_create(
            &thread, &attributes,
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

    /// Blocks the calling thread for at least `duration`.
    package static func rest(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        var time = timespec(
            tv_sec: .init(seconds), tv_nsec: .init(attoseconds / 1_000_000_000))
        // The structure is a local variable. It is harmless if a signal ends the sleep early.
        unsafe nanosleep(&time, nil)
    }

    private final class Body: Sendable {
        private let name: String
        private let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }

        func run() {
            let name = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            // The system copies the name. A failure is harmless.
            #if canImport(Darwin)
                _ = unsafe pthread_setname_np(name)
            #else
                _ = unsafe pthread_setname_np(pthread_self(), name)
            #endif
            body()
        }
    }
}
