/// Who writes what a connection has to write: one thread at a time, for everybody. Who has output
/// while somebody writes, or while a flush has been asked for, leaves it to that.
package enum OutputTurn: Hashable, Sendable {
    case idle
    /// The loop has been asked to flush.
    case asked
    /// Somebody writes; he also writes what is added meanwhile.
    ///
    /// - Parameter becameWritable: The socket was announced to take more again, perhaps just after
    ///   it had turned him away.
    case writing(becameWritable: Bool)
    /// The socket takes no more for now, and will be announced when it does.
    case blocked
}

extension OutputTurn {
    package var isWriting: Bool {
        if case .writing = self { true } else { false }
    }

    /// There is output. True when a flush has to be asked for.
    package mutating func ask() -> Bool {
        guard case .idle = self else { return false }
        self = .asked
        return true
    }

    /// Becomes the writer. False when there is one, or nothing that can be written.
    package mutating func begin(hasOutput: Bool) -> Bool {
        switch self {
        case .writing, .blocked: return false
        case .idle, .asked:
            self = hasOutput ? .writing(becameWritable: false) : .idle
            return hasOutput
        }
    }

    /// The writer has written. False when he is no longer the writer.
    package mutating func goOn(wasTurnedAway: Bool, hasMore: Bool) -> Bool {
        guard case .writing(let becameWritable) = self else { return false }
        let isBlocked = wasTurnedAway && !becameWritable
        if hasMore, !isBlocked {
            self = .writing(becameWritable: false)
            return true
        }
        self = isBlocked ? .blocked : .idle
        return false
    }

    /// The writer leaves the rest to a flush that comes.
    package mutating func putOff() { self = .asked }

    /// The writer leaves the rest where it is.
    package mutating func stop() { self = .idle }

    /// Nothing can be written any more.
    package mutating func fail() { self = .blocked }

    /// The socket takes more. True when somebody has to write.
    package mutating func socketIsWritable() -> Bool {
        switch self {
        case .blocked:
            self = .idle
            return true
        case .writing:
            self = .writing(becameWritable: true)
            return false
        case .idle, .asked: return false
        }
    }
}
