#if os(Linux)
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif
    import CSwiftletSystem

    /// The system's part of a ``Poller``: an epoll instance, and an eventfd that interrupts it.
    struct EventQueue: ~Copyable, Sendable {
        private let epoll: CInt
        private let interruption: CInt

        /// No descriptor has this token, as ``Poller/add(_:token:)`` documents.
        private static let interruptionToken = UInt64.max

        /// 64 events take 768 bytes of the stack. More events are reported by the next wait.
        private static let eventLimit = 64

        init() throws(SystemError) {
            epoll = epoll_create1(swiftlet_epoll_create_flags)
            let epollError = errno
            interruption = eventfd(0, swiftlet_eventfd_flags)
            let interruptionError = errno
            // `deinit` closes both descriptors, also if only one of them could be opened.
            guard epoll >= 0 else { throw SystemError("epoll_create1", "", code: epollError) }
            guard interruption >= 0 else {
                throw SystemError("eventfd", "", code: interruptionError)
            }
            try control(
                EPOLL_CTL_ADD, interruption, swiftlet_epoll_in | swiftlet_epoll_edge,
                Self.interruptionToken)
        }

        deinit {
            if interruption >= 0 { _ = close(interruption) }
            if epoll >= 0 { _ = close(epoll) }
        }
    }

    extension EventQueue {
        private static var bothWays: UInt32 {
            swiftlet_epoll_in | swiftlet_epoll_out | swiftlet_epoll_hang_up | swiftlet_epoll_edge
        }

        func add(_ descriptor: CInt, token: UInt64) throws(SystemError) {
            try control(EPOLL_CTL_ADD, descriptor, Self.bothWays, token)
        }

        func remove(_ descriptor: CInt) throws(SystemError) {
            try control(EPOLL_CTL_DEL, descriptor, 0, 0)
        }

        private func control(
            _ operation: CInt, _ descriptor: CInt, _ interest: UInt32, _ token: UInt64
        ) throws(SystemError) {
            var event = unsafe epoll_event(events: interest, data: epoll_data_t(u64: token))
            guard unsafe epoll_ctl(epoll, operation, descriptor, &event) == 0 else {
                throw .current("epoll_ctl", "\(descriptor)")
            }
        }

        /// Waits for events. −1 milliseconds means no limit. Interruptions and signals return no
        /// event.
        func wait(milliseconds: CInt, _ events: inout [Poller.Event]) throws(SystemError) {
            let status = unsafe withUnsafeTemporaryAllocation(
                of: epoll_event.self, capacity: Self.eventLimit
            ) { buffer in
                let status = unsafe epoll_wait(
                    epoll, buffer.baseAddress, CInt(buffer.count), milliseconds)
                guard status >= 0 else { return errno }
                // The system has filled the first `status` entries, at most `buffer.count`.
                for index in 0..<Int(status) {
                    let event = unsafe buffer[index]
                    let token = unsafe event.data.u64
                    guard token != Self.interruptionToken else { continue }
                    let readiness = unsafe Self.readiness(event.events)
                    events.append(Poller.Event(token: token, readiness: readiness))
                }
                return 0
            }
            guard status == 0 || status == EINTR else {
                throw SystemError("epoll_wait", "", code: status)
            }
        }

        private static func readiness(_ flags: UInt32) -> Poller.Readiness {
            var readiness = Poller.Readiness.none
            if flags & swiftlet_epoll_in != 0 { readiness.formUnion(.readable) }
            if flags & swiftlet_epoll_out != 0 { readiness.formUnion(.writable) }
            if flags & swiftlet_epoll_hang_up != 0 { readiness.formUnion(.hungUp) }
            return readiness
        }

        /// Each write causes an event (the eventfd is edge-triggered), so the counter need not be
        /// read.
        func interrupt() {
            while eventfd_write(interruption, 1) < 0 {
                switch errno {
                case EINTR: continue
                // The counter is full after 2⁶⁴ − 2 interruptions. Reading it sets it to 0. Then
                // the write is repeated.
                case EAGAIN:
                    var count: eventfd_t = 0
                    _ = unsafe eventfd_read(interruption, &count)
                default: return
                }
            }
        }
    }
#endif
