import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A socket that others connect to. A path that it was bound to is there until it is stopped.
package struct Listener: ~Copyable, Sendable {
    private let socket: Socket

    /// Where it listens; with the port the system chose when 0 was asked for.
    package let address: SocketAddress

    package init(on address: SocketAddress, backlog: CInt = 1_024) throws(SystemError) {
        let socket = try Socket(for: address)
        if address.family != .unix {
            // A server that was restarted gets its port back at once.
            try socket.setOption(SOL_SOCKET, SO_REUSEADDR, 1, "SO_REUSEADDR")
        }
        let descriptor = socket.descriptor
        let status = try unsafe address.withSystemAddress(for: "bind") { pointer, length in
            unsafe bind(descriptor, pointer, length)
        }
        guard status == 0 else { throw .current("bind", "\(address)") }
        guard listen(descriptor, backlog) == 0 else { throw .current("listen", "\(address)") }
        self.address = try socket.localAddress()
        self.socket = socket
    }

    package var descriptor: CInt { socket.descriptor }

    /// Refuses connections from now on, while the descriptor is kept, and takes its path out of
    /// the file system so that the next may have it. To be called once: by the second time the
    /// path may be another's.
    package func stop() {
        socket.stop()
        guard case .unix(let path) = address, !path.isEmpty else { return }
        // A path that has been taken away by others is as gone as one that was removed here.
        _ = unsafe path.withCString { path in unsafe unlink(path) }
    }

    /// The next connection; nil when none is waiting.
    package func acceptNext() throws(SystemError) -> Socket? {
        while true {
            #if os(Linux)
                let descriptor = accept4(
                    socket.descriptor, nil, nil, swiftlet_sock_birth_flags)
            #else
                let descriptor = unsafe accept(socket.descriptor, nil, nil)
            #endif
            if descriptor >= 0 {
                let accepted = Socket(adopting: descriptor)
                // A connection that is over already takes no options; the next may.
                guard (try? accepted.prepareWhereBirthFlagsAreMissing()) != nil else { continue }
                return accepted
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return nil
            // The peer gave up between connecting and here: the next one is not to blame.
            // Linux hands on errors of the network that lie on the connection.
            case EINTR, ECONNABORTED, EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH:
                continue
            case let code: throw SystemError("accept", "\(address)", code: code)
            }
        }
    }
}
