#if canImport(Darwin)
    import Darwin

    #if arch(arm64_32) || arch(arm) || arch(i386)
        #error("Swiftlet needs a 64-bit system: build for arm64 or x86_64")
    #endif

    /// The system's part of a ``Poller``: a kqueue, with a user event that interrupts it.
    struct EventQueue: ~Copyable, Sendable {
        private let kqueue: CInt

        private static let eventLimit = 32

        init() throws(SystemError) {
            kqueue = Darwin.kqueue()
            guard kqueue >= 0 else { throw .current("kqueue") }
            _ = fcntl(kqueue, F_SETFD, FD_CLOEXEC)
            try change(0, EVFILT_USER, EV_ADD | EV_CLEAR, 0)
        }

        deinit {
            _ = close(kqueue)
        }
    }

    extension EventQueue {
        func add(_ descriptor: CInt, token: UInt64) throws(SystemError) {
            let ident = UInt(descriptor)
            try change(ident, EVFILT_READ, EV_ADD | EV_CLEAR, token)
            try change(ident, EVFILT_WRITE, EV_ADD | EV_CLEAR, token)
        }

        func remove(_ descriptor: CInt) throws(SystemError) {
            let ident = UInt(descriptor)
            try change(ident, EVFILT_READ, EV_DELETE, 0)
            try change(ident, EVFILT_WRITE, EV_DELETE, 0)
        }

        private func change(
            _ ident: UInt, _ filter: Int32, _ flags: Int32, _ token: UInt64, note: UInt32 = 0
        ) throws(SystemError) {
            // The token is passed as a pointer that is never dereferenced.
            var event = unsafe kevent(
                ident: ident, filter: Int16(filter), flags: UInt16(flags), fflags: note, data: 0,
                udata: UnsafeMutableRawPointer(bitPattern: UInt(token)))
            // Not `Darwin.kevent`: after the module name, the structure hides the function.
            while unsafe kevent(kqueue, &event, 1, nil, 0, nil) < 0 {
                guard errno == EINTR else { throw .current("kevent", "\(ident)") }
            }
        }

        /// Waits for events. −1 milliseconds means no limit. Interruptions and signals return no
        /// event.
        func wait(milliseconds: CInt, _ events: inout [Poller.Event]) throws(SystemError) {
            var timeout = timespec(
                tv_sec: Int(milliseconds) / 1_000, tv_nsec: Int(milliseconds) % 1_000 * 1_000_000)
            let status = unsafe withUnsafeTemporaryAllocation(
                of: kevent.self, capacity: Self.eventLimit
            ) { buffer in
                let status = unsafe withUnsafePointer(to: &timeout) { timeout in
                    unsafe kevent(
                        kqueue, nil, 0, buffer.baseAddress, CInt(buffer.count),
                        milliseconds < 0 ? nil : timeout)
                }
                guard status >= 0 else { return errno }
                // The system has filled the first `status` entries, at most `buffer.count`.
                for index in 0..<Int(status) {
                    let event = unsafe buffer[index]
                    guard unsafe event.filter != Int16(EVFILT_USER) else { continue }
                    var readiness: Poller.Readiness =
                        unsafe event.filter == Int16(EVFILT_READ) ? .readable : .writable
                    if unsafe event.flags & UInt16(EV_EOF | EV_ERROR) != 0 {
                        readiness.formUnion(.hungUp)
                    }
                    let token = unsafe UInt64(UInt(bitPattern: event.udata))
                    events.append(Poller.Event(token: token, readiness: readiness))
                }
                return 0
            }
            guard status == 0 || status == EINTR else {
                throw SystemError("kevent", "", code: status)
            }
        }

        func interrupt() {
            // This fails only if the queue or the event does not exist.
            try? change(0, EVFILT_USER, 0, 0, note: UInt32(NOTE_TRIGGER))
        }
    }
#endif
