import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A non-blocking stream socket, close-on-exec and without SIGPIPE. Exactly one value owns the
/// descriptor. It is closed when that value is destroyed.
package struct Socket: ~Copyable, Sendable {
    package let descriptor: CInt

    /// Takes ownership of `descriptor`, which must be non-blocking. The caller must not close it.
    package init(adopting descriptor: CInt) {
        precondition(descriptor >= 0)
        self.descriptor = descriptor
    }

    /// Makes a socket that can connect to `address` or be bound to it.
    package init(for address: SocketAddress) throws(SystemError) {
        let type = swiftlet_sock_stream | swiftlet_sock_birth_flags
        descriptor = socket(address.systemFamily, type, 0)
        // From here on, `deinit` closes the descriptor if something throws.
        guard descriptor >= 0 else { throw .current("socket", "\(address)") }
        try prepareWhereBirthFlagsAreMissing()
    }

    deinit {
        // On Linux, a failed close has released the descriptor, also with EINTR. A second close
        // could close a descriptor that another thread has just opened.
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Makes two connected sockets.
    package static func withPair<Result: ~Copyable, Failure: Error>(
        _ body: (consuming Socket, consuming Socket) throws(Failure) -> Result
    ) throws -> Result {
        var ends: (CInt, CInt) = (-1, -1)
        let type = swiftlet_sock_stream | swiftlet_sock_birth_flags
        let status = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            // A tuple of two equal integers has the layout of the array that socketpair fills.
            unsafe socketpair(
                AF_UNIX, type, 0, bytes.assumingMemoryBound(to: CInt.self).baseAddress)
        }
        guard status == 0 else { throw SystemError.current("socketpair") }
        let left = Socket(adopting: ends.0)
        let right = Socket(adopting: ends.1)
        try left.prepareWhereBirthFlagsAreMissing()
        try right.prepareWhereBirthFlagsAreMissing()
        return try body(left, right)
    }

    /// On Darwin, makes the socket close-on-exec and non-blocking, and disables SIGPIPE. Does nothing on
    /// other systems, which have flags of `socket` and `send` for this.
    package func prepareWhereBirthFlagsAreMissing() throws(SystemError) {
        #if canImport(Darwin)
            guard fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0,
                fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) == 0
            else { throw .current("fcntl") }
            try setOption(SOL_SOCKET, SO_NOSIGPIPE, 1, "SO_NOSIGPIPE")
        #endif
    }
}

// MARK: - Connecting

extension Socket {
    /// The result of a request to connect.
    package enum ConnectProgress: Equatable, Sendable {
        case connected
        /// The socket becomes writable when the result is known. Then call
        /// ``finishConnecting(to:)``.
        case inProgress
    }

    package func startConnecting(to address: SocketAddress) throws(SystemError) -> ConnectProgress {
        let status = try unsafe address.withSystemAddress(for: "connect") { pointer, length in
            unsafe connect(descriptor, pointer, length)
        }
        if status == 0 { return .connected }
        switch errno {
        // An interrupted connect continues (POSIX). A second call would return EALREADY.
        case EINPROGRESS, EINTR: return .inProgress
        case let code: throw SystemError("connect", "\(address)", code: code)
        }
    }

    /// The result of a connect in progress, after the socket has become writable.
    package func finishConnecting(to address: SocketAddress) throws(SystemError) {
        var code: CInt = 0
        var length = socklen_t(MemoryLayout<CInt>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else {
            throw .current("connect", "\(address)")
        }
        guard code == 0 else { throw SystemError("connect", "\(address)", code: code) }
    }

    package func localAddress() throws(SystemError) -> SocketAddress {
        try unsafe SocketAddress.read("getsockname") { unsafe getsockname(descriptor, $0, $1) }
    }

    /// Closes both directions and keeps the descriptor, which another thread may still use. Does
    /// nothing on a socket that is not connected.
    package func stop() {
        _ = shutdown(descriptor, swiftlet_shut_both)
    }

    /// Closes the sending direction. Reading continues.
    package func endWriting() throws(SystemError) {
        // ENOTCONN: the peer has closed the connection already.
        guard shutdown(descriptor, swiftlet_shut_write) == 0 || errno == ENOTCONN else {
            throw .current("shutdown")
        }
    }
}
