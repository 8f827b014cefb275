import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// Reading and writing: one system call each, and no memory of their own.

extension Socket {
    package enum ReadOutcome: Hashable, Sendable {
        /// That many octets were added, at least one. Fewer than there was room for means that
        /// nothing more is there now, unless the poller reported a hang-up.
        case bytes(Int)
        case wouldBlock
        /// The peer ended its side in order.
        case endOfStream
        /// The buffer had no room: consume, then read again.
        case bufferFull
    }

    package enum WriteOutcome: Hashable, Sendable {
        /// That many octets are the system's now, at least one.
        case bytes(Int)
        case wouldBlock
    }

    /// Writes from the front of `list` and removes what was taken. An empty list is no write.
    package func write(gathering list: inout GatherList) throws(SystemError) -> WriteOutcome {
        guard !list.isEmpty else { return .bytes(0) }
        var code: CInt = 0
        let count = unsafe list.withVectors { vectors in
            while true {
                let count = unsafe Self.send(vectors, on: descriptor)
                code = errno
                if count < 0, code == EINTR { continue }
                return count
            }
        }
        if count > 0 {
            list.removeFirst(count)
            return .bytes(count)
        }
        // Nothing taken and no error would make the loop spin for ever; no stream socket does
        // that, and one that did is of no use.
        if count == 0 { throw SystemError("write", "", code: EPIPE) }
        if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
        throw SystemError("write", "", code: code)
    }

    private static func send(_ vectors: UnsafeBufferPointer<iovec>, on descriptor: CInt) -> Int {
        if vectors.count == 1, let only = unsafe vectors.first {
            return unsafe Self.send(only, on: descriptor)
        }
        var message = unsafe msghdr()
        // sendmsg reads the vectors and does not write them.
        unsafe message.msg_iov = UnsafeMutablePointer(mutating: vectors.baseAddress)
        unsafe message.msg_iovlen = .init(vectors.count)
        return unsafe sendmsg(descriptor, &message, swiftlet_send_flags)
    }

    private static func send(_ vector: iovec, on descriptor: CInt) -> Int {
        unsafe sendOctets(descriptor, vector.iov_base, vector.iov_len, swiftlet_send_flags)
    }
}

/// The system's `send`, which a method of the same name would hide.
private func sendOctets(
    _ descriptor: CInt, _ base: UnsafeMutableRawPointer?, _ count: Int, _ flags: CInt
) -> Int {
    unsafe send(descriptor, base, count, flags)
}

extension ReceiveBuffer {
    /// Reads once from `socket`, straight to behind the unread octets.
    package mutating func read(
        from socket: borrowing Socket
    ) throws(SystemError) -> Socket.ReadOutcome {
        guard !isFull else { return .bufferFull }
        let descriptor = socket.descriptor
        var code: CInt = 0
        var isEnd = false
        let count = unsafe fill { room in
            while true {
                // `recv` writes no more than the room it is told of.
                let count = unsafe recv(descriptor, room.baseAddress, room.count, 0)
                if count > 0 { return count }
                isEnd = count == 0
                code = errno
                if !isEnd, code == EINTR { continue }
                return 0
            }
        }
        if count > 0 { return .bytes(count) }
        if isEnd { return .endOfStream }
        if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
        throw SystemError("read", "", code: code)
    }
}
