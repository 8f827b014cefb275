import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A listening socket. The path of a Unix-domain socket exists until ``stop()``.
package struct Listener: ~Copyable, Sendable {
    private let socket: Socket

    /// The address that the socket is bound to. If port 0 was requested, it contains the port that
    /// the system chose.
    package let address: SocketAddress

    package init(on address: SocketAddress, backlog: CInt = 1_024) throws(SystemError) {
        let socket = try Socket(for: address)
        if address.isTCP {
            // With this option, a restarted server can use its port at once.
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

    /// Refuses new connections, and removes the path, so that another listener can use it. The
    /// descriptor stays open. Call it only once, because the path may later belong to another
    /// listener.
    package func stop() {
        socket.stop()
        guard case .unix(let path) = address, !path.isEmpty else { return }
        // The path may have been removed already.
        _ = unsafe path.withCString { path in unsafe unlink(path) }
    }

    /// The next connection. Nil if none is waiting.
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
                // Options cannot be set on a connection that has already ended. Continues with the
                // next one.
                guard (try? accepted.prepareWhereBirthFlagsAreMissing()) != nil else { continue }
                return accepted
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return nil
            // The peer closed the connection before it was accepted. Continues with the next one.
            case EINTR, ECONNABORTED: continue
            #if !canImport(Darwin)
                // Linux reports a network error of that connection.
                case EPROTO, ENETDOWN, ENETUNREACH, EHOSTDOWN, EHOSTUNREACH: continue
            #endif
            case let code: throw SystemError("accept", "\(address)", code: code)
            }
        }
    }
}
