import Synchronization

/// Where the messages of a streaming call wait for the one task that reads them. There is never
/// more than what was asked for, which is one.
final class ResponseInbox: CallObserver {
    enum Found: Sendable {
        case message([UInt8])
        case end(CallEnd)
        case nothing
    }

    enum Waiter {
        case forMessage(Resumption<Found>)
        case forInitialMetadata(Resumption<Result<Metadata, RPCError>>)
        case forRoom(Resumption<Void>)
    }

    fileprivate struct State {
        var messages = MessageQueue()
        var initialMetadata: Metadata?
        var end: CallEnd?
        var reader: Resumption<Found>?
        var metadataReaders: [Resumption<Result<Metadata, RPCError>>] = []
        var writers: [Resumption<Void>] = []
        /// Messages that were written and not taken yet.
        var unwrittenCount = 0
    }

    private let state = Mutex(State())
}

extension ResponseInbox {
    /// What lies ready.
    func poll() -> Found {
        state.withLock { state in state.takeFound() }
    }

    var end: CallEnd? { state.withLock { $0.end } }

    /// A second reader at the same time gets nothing: a stream has one.
    func wait(_ waiter: Waiter) {
        switch waiter {
        case .forMessage(let continuation):
            let found: Found? = state.withLock { state in
                let found = state.takeFound()
                guard case .nothing = found, state.reader == nil else { return found }
                state.reader = continuation
                return nil
            }
            if let found { continuation.resume(returning: found) }
        case .forInitialMetadata(let continuation):
            let found: Result<Metadata, RPCError>? = state.withLock { state in
                if let metadata = state.initialMetadata { return .success(metadata) }
                if let end = state.end { return end.withoutMetadata }
                state.metadataReaders.append(continuation)
                return nil
            }
            if let found { continuation.resume(returning: found) }
        case .forRoom(let continuation):
            let hasRoom = state.withLock { state in
                if state.unwrittenCount == 0 || state.end != nil { return true }
                state.writers.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// A message is about to be written.
    func willWrite() { state.withLock { $0.unwrittenCount += 1 } }

    /// Whether everything that was written has been taken, or never will be.
    var hasRoom: Bool { state.withLock { $0.unwrittenCount == 0 || $0.end != nil } }
}

extension ResponseInbox.State {
    fileprivate mutating func takeFound() -> ResponseInbox.Found {
        if let message = messages.popFirst() { return .message(message.octets) }
        if let end { return .end(end) }
        return .nothing
    }
}

extension CallEnd {
    fileprivate var withoutMetadata: Result<Metadata, RPCError> {
        // A server may answer with a status alone, and an OK one is an answer too.
        if let error { .failure(error) } else { .success(Metadata()) }
    }
}

// MARK: - What the call brings

extension ResponseInbox {
    func receive(initialMetadata: Metadata) {
        let readers = state.withLock { state in
            state.initialMetadata = initialMetadata
            defer { state.metadataReaders = [] }
            return state.metadataReaders
        }
        for reader in readers { reader.resume(returning: .success(initialMetadata)) }
    }

    func receive(message: [UInt8]) {
        let reader: Resumption<Found>? = state.withLock { state in
            guard let reader = state.reader.take() else {
                state.messages.append(AssembledMessage(octets: message, isCompressed: false))
                return nil
            }
            return reader
        }
        reader?.resume(returning: .message(message))
    }

    func messageWasWritten() {
        let writers: [Resumption<Void>] = state.withLock { state in
            state.unwrittenCount = max(0, state.unwrittenCount - 1)
            guard state.unwrittenCount == 0 else { return [] }
            defer { state.writers = [] }
            return state.writers
        }
        for writer in writers { writer.resume() }
    }

    func receive(end: CallEnd) {
        let (reader, metadataReaders, writers) = state.withLock { state in
            state.end = end
            defer {
                state.metadataReaders = []
                state.writers = []
            }
            return (state.reader.take(), state.metadataReaders, state.writers)
        }
        reader?.resume(returning: .end(end))
        for metadataReader in metadataReaders {
            metadataReader.resume(returning: end.withoutMetadata)
        }
        for writer in writers { writer.resume() }
    }
}
