import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A non-blocking stream socket, close-on-exec and deaf to SIGPIPE. Exactly one value owns the
/// descriptor, and the descriptor is closed exactly once: when that value goes out of scope or is
/// consumed.
package struct Socket: ~Copyable, Sendable {
    package let descriptor: CInt

    /// Takes ownership of `descriptor`, which must be non-blocking; the caller must not close it.
    package init(adopting descriptor: CInt) {
        precondition(descriptor >= 0)
        self.descriptor = descriptor
    }

    /// A new socket that is able to connect to `address`, or to be bound to it.
    package init(for address: SocketAddress) throws(SystemError) {
        let type = swiftlet_sock_stream | swiftlet_sock_birth_flags
        descriptor = socket(address.systemFamily, type, 0)
        // From here on the descriptor has an owner: a throw runs `deinit`.
        guard descriptor >= 0 else { throw .current("socket", "\(address)") }
        try prepareWhereBirthFlagsAreMissing()
    }

    deinit {
        // EINTR included, a failed close has still released the descriptor on Linux. Retrying
        // could close a descriptor that another thread has just been given.
        if descriptor >= 0 { _ = close(descriptor) }
    }

    /// Gives the descriptor up without closing it.
    package consuming func release() -> CInt {
        let descriptor = descriptor
        discard self
        return descriptor
    }

    /// Two sockets joined to each other, each handed over on its own.
    package static func withPair<Result: ~Copyable, Failure: Error>(
        _ body: (consuming Socket, consuming Socket) throws(Failure) -> Result
    ) throws -> Result {
        var ends: (CInt, CInt) = (-1, -1)
        let type = swiftlet_sock_stream | swiftlet_sock_birth_flags
        let status = unsafe withUnsafeMutableBytes(of: &ends) { bytes in
            // A tuple of two equal integers lies in memory like the array socketpair fills.
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

    /// Darwin has neither birth flags nor a flag of `send` against SIGPIPE.
    func prepareWhereBirthFlagsAreMissing() throws(SystemError) {
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
    /// What became of a request to connect.
    package enum ConnectProgress: Hashable, Sendable {
        case connected
        /// The socket becomes writable when the outcome is known; then ask
        /// ``finishConnecting(to:)``.
        case inProgress
    }

    package func startConnecting(to address: SocketAddress) throws(SystemError) -> ConnectProgress {
        let status = try unsafe address.withSystemAddress(for: "connect") { pointer, length in
            unsafe connect(descriptor, pointer, length)
        }
        if status == 0 { return .connected }
        switch errno {
        // An interrupted connect goes on by itself (POSIX); asking again would be EALREADY.
        case EINPROGRESS, EINTR: return .inProgress
        case let code: throw SystemError("connect", "\(address)", code: code)
        }
    }

    /// The outcome of a connect that was in progress, once the socket is writable.
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

    /// Ends both directions and keeps the descriptor: for a socket that another thread may still
    /// hold. One that has no peer any more has nothing to end.
    package func stop() {
        _ = shutdown(descriptor, swiftlet_shut_both)
    }

    /// Tells the peer that nothing more will be written; reading goes on.
    package func endWriting() throws(SystemError) {
        // ENOTCONN: the peer is gone already, and knows.
        guard shutdown(descriptor, swiftlet_shut_write) == 0 || errno == ENOTCONN else {
            throw .current("shutdown")
        }
    }
}
