import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

// Reading and writing, with one system call each.

extension Socket {
    package enum ReadOutcome: Equatable, Sendable {
        /// This number of bytes was added; at least one. If ``ReceiveBuffer/wasFilled`` is false,
        /// no more bytes are available now, unless the poller reported a hang-up.
        case bytes(Int)
        case wouldBlock
        /// The peer closed its sending side.
        case endOfStream
        /// The buffer is full. Consume bytes, then read again.
        case bufferFull
    }

    package enum WriteOutcome: Equatable, Sendable {
        /// The system has accepted this number of bytes; at least one.
        case bytes(Int)
        case wouldBlock
    }

    /// Writes from the front of `list`, and removes the written bytes. Does nothing for an empty
    /// list.
    package func write(gathering list: inout GatherList) throws(SystemError) -> WriteOutcome {
        guard !list.isEmpty else { return .bytes(0) }
        var code: CInt = 0
        var count = 0
        repeat {
            count = list.pieceCount == 1 ? sendFirstPiece(of: list) : sendPieces(of: list)
            code = errno
        } while count < 0 && code == EINTR
        if count > 0 {
            list.removeFirst(count)
            return .bytes(count)
        }
        // Zero without an error would make the loop spin. Stream sockets do not return it. It is
        // treated as a broken connection.
        if count == 0 { throw SystemError("write", "", code: EPIPE) }
        if code == EAGAIN || code == EWOULDBLOCK { return .wouldBlock }
        throw SystemError("write", "", code: code)
    }

    /// Usually a burst of small frames is one piece and needs no vector.
    private func sendFirstPiece(of list: borrowing GatherList) -> Int {
        let count = list.withFirstPiece { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe send(descriptor, bytes.baseAddress, bytes.count, swiftlet_send_flags)
            }
        }
        return count ?? 0
    }

    private func sendPieces(of list: borrowing GatherList) -> Int {
        unsafe list.withVectors { vectors in
            var message = unsafe msghdr()
            // sendmsg only reads the vectors.
            unsafe message.msg_iov = UnsafeMutablePointer(mutating: vectors.baseAddress)
            unsafe message.msg_iovlen = .init(vectors.count)
            return unsafe sendmsg(descriptor, &message, swiftlet_send_flags)
        }
    }
}

extension ReceiveBuffer {
    /// Reads once from `socket`, and appends the bytes to the unread ones.
    package mutating func read(
        from socket: borrowing Socket
    ) throws(SystemError) -> Socket.ReadOutcome {
        guard !isFull else { return .bufferFull }
        let descriptor = socket.descriptor
        var outcome = Socket.ReadResult.count(0)
        _ = unsafe fill { room in
            // `recv` writes at most the size of the room.
            outcome = .of { unsafe recv(descriptor, room.baseAddress, room.count, 0) }
            return outcome.byteCount
        }
        return try outcome.get()
    }
}

extension Socket {
    /// The result of a system call that reads.
    enum ReadResult {
        case count(Int)
        case failed(CInt)

        /// Repeats the call if a signal interrupted it.
        static func of(_ body: () -> Int) -> ReadResult {
            while true {
                let count = body()
                if count >= 0 { return .count(count) }
                let code = errno
                if code != EINTR { return .failed(code) }
            }
        }

        var byteCount: Int {
            if case .count(let count) = self { count } else { 0 }
        }

        func get() throws(SystemError) -> ReadOutcome {
            switch self {
            case .count(0): return .endOfStream
            case .count(let count): return .bytes(count)
            case .failed(EAGAIN), .failed(EWOULDBLOCK): return .wouldBlock
            case .failed(let code): throw SystemError("read", "", code: code)
            }
        }
    }
}
