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
        /// That many octets were added, at least one. When ``ReceiveBuffer/wasFilled`` is false
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
        var count = 0
        repeat {
            count = list.pieceCount == 1 ? sendFirstPiece(of: list) : sendPieces(of: list)
            code = errno
        } while count < 0 && code == EINTR
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

    /// The usual case, a burst of small frames, is one piece and needs no vector.
    private func sendFirstPiece(of list: borrowing GatherList) -> Int {
        let count = list.withFirstPiece { octets in
            unsafe octets.withUnsafeBytes { bytes in
                unsafe send(descriptor, bytes.baseAddress, bytes.count, swiftlet_send_flags)
            }
        }
        return count ?? 0
    }

    private func sendPieces(of list: borrowing GatherList) -> Int {
        unsafe list.withVectors { vectors in
            var message = unsafe msghdr()
            // sendmsg reads the vectors and does not write them.
            unsafe message.msg_iov = UnsafeMutablePointer(mutating: vectors.baseAddress)
            unsafe message.msg_iovlen = .init(vectors.count)
            return unsafe sendmsg(descriptor, &message, swiftlet_send_flags)
        }
    }
}

extension ReceiveBuffer {
    /// Reads once from `socket`, straight to behind the unread octets.
    package mutating func read(
        from socket: borrowing Socket
    ) throws(SystemError) -> Socket.ReadOutcome {
        guard !isFull else { return .bufferFull }
        let descriptor = socket.descriptor
        var outcome = Socket.ReadResult.count(0)
        _ = unsafe fill { room in
            // `recv` writes no more than the room it is told of.
            outcome = .of { unsafe recv(descriptor, room.baseAddress, room.count, 0) }
            return outcome.byteCount
        }
        return try outcome.get()
    }
}

extension Socket {
    /// What a system call that reads has answered.
    enum ReadResult {
        case count(Int)
        case failed(CInt)

        /// Asks again when a signal came between.
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
