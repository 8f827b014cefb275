/// The thread that writes the output of a connection. Only one thread at a time writes. Another
/// thread that has output leaves it to that thread, or to a flush that was already requested.
package enum OutputTurn: Equatable, Sendable {
    case idle
    /// The loop was asked to flush.
    case asked
    /// A thread writes. It also writes what is added in the meantime.
    ///
    /// - Parameter becameWritable: Whether the poller has reported the socket as writable since the
    ///   last write began. The report may arrive just after that write has found the socket full.
    case writing(becameWritable: Bool)
    /// The socket is full. The poller reports when it is writable.
    case blocked
    /// The socket has failed. Nothing more is written: it would follow the part of a frame.
    case failed
}

extension OutputTurn {
    package var isWriting: Bool {
        if case .writing = self { true } else { false }
    }

    /// There is output. True if the caller must ask for a flush.
    package mutating func ask() -> Bool {
        guard case .idle = self else { return false }
        self = .asked
        return true
    }

    /// Makes the caller the writer. False if another thread is, or nothing can be written.
    package mutating func begin(hasOutput: Bool) -> Bool {
        switch self {
        case .writing, .blocked, .failed: return false
        case .idle, .asked:
            self = hasOutput ? .writing(becameWritable: false) : .idle
            return hasOutput
        }
    }

    /// The writer has written. False if the caller is no longer the writer.
    package mutating func goOn(socketIsFull: Bool, hasMore: Bool) -> Bool {
        guard case .writing(let becameWritable) = self else { return false }
        let isBlocked = socketIsFull && !becameWritable
        if hasMore, !isBlocked {
            self = .writing(becameWritable: false)
            return true
        }
        self = isBlocked ? .blocked : .idle
        return false
    }

    /// The writer leaves the rest to a flush that was asked for.
    mutating func putOff() { self = .asked }

    /// The writer stops, and leaves the rest.
    package mutating func stop() { self = .idle }

    mutating func fail() { self = .failed }

    /// The socket is writable. True if the caller must flush.
    package mutating func socketIsWritable() -> Bool {
        switch self {
        case .blocked:
            self = .idle
            return true
        case .writing:
            self = .writing(becameWritable: true)
            return false
        case .idle, .asked, .failed: return false
        }
    }
}
