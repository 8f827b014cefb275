import Synchronization

/// Where the messages of a streaming call wait for the one task that reads them. From an
/// interceptor comes never more than what was asked for, which is one; from the call itself all
/// that has arrived, and it is told which of it was read.
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
        /// Octets that were read, of messages that came unasked, and not told to the call.
        var readByteCount = 0
        var initialMetadata: Metadata?
        var end: CallEnd?
        var reader: Resumption<Found>?
        var metadataReaders: [Resumption<Result<Metadata, RPCError>>] = []
        var writers: [Resumption<Void>] = []
        var request = RequestProgress()
    }

    private let state = Mutex(State())
}

extension ResponseInbox {
    /// From this much on it is worth telling the call what was read.
    private static let toldAtOnce = 8 << 10

    struct Poll {
        /// What lies ready.
        var found: Found
        /// What has been read of what the call gave unasked: something when it is worth telling, or
        /// when the call is to be asked for more.
        var readByteCount = 0
        /// A task waits for a message.
        var hasReader = false
    }

    func poll() -> Poll {
        state.withLock { state in
            let found = state.takeFound()
            if case .message = found, state.readByteCount < Self.toldAtOnce {
                return Poll(found: found)
            }
            // A second reader asks for nothing.
            guard state.reader == nil else { return Poll(found: found, hasReader: true) }
            defer { state.readByteCount = 0 }
            return Poll(found: found, readByteCount: state.readByteCount)
        }
    }

    /// What came is not to be read: the call has failed on this side.
    func fail(_ error: RPCError) {
        state.withLock { state in
            state.messages.removeAll()
            state.end = CallEnd(error: error, trailers: state.end?.trailers ?? Metadata())
        }
    }

    var end: CallEnd? { state.withLock { $0.end } }

    /// Why no message can be written any more.
    var obstacle: RPCError? { state.withLock { $0.request.obstacle($0.end) } }

    func requestWasFinished() { state.withLock { $0.request.finish() } }

    /// A second reader at the same time is given nothing: a stream has one.
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
                if state.request.hasRoom || state.end != nil { return true }
                state.writers.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    func willWrite() { state.withLock { $0.request.willWrite() } }

    func willWriteFirst() { state.withLock { $0.request.willWriteFirst() } }

    /// Whether a message that was written, or would be, goes nowhere.
    var hasLostMessage: Bool { state.withLock { $0.request.hasLost || $0.end != nil } }

    /// Whether everything that was written has been taken, or never will be.
    var hasRoom: Bool { state.withLock { $0.request.hasRoom || $0.end != nil } }
}

extension ResponseInbox.State {
    fileprivate mutating func takeFound() -> ResponseInbox.Found {
        if let message = messages.popFirst() {
            readByteCount += message.wireByteCount
            return .message(message.octets)
        }
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

    var keepsMessages: Bool { true }

    func receive(message: [UInt8], from call: any CallRequests) {
        var messages = MessageQueue()
        messages.append(AssembledMessage(octets: message, isCompressed: false))
        receive(messages: &messages, from: call)
    }

    func receive(messages: inout MessageQueue, from call: any CallRequests) {
        let (reader, found): (Resumption<Found>?, Found) = state.withLock { state in
            // The first was asked for, so it is none of those that came unasked.
            state.readByteCount -= messages.firstByteCount
            state.messages.append(all: &messages)
            guard let reader = state.reader.take() else { return (nil, .nothing) }
            return (reader, state.takeFound())
        }
        reader?.resume(returning: found)
    }

    func messageWasWritten(wasTaken: Bool) {
        let writers: [Resumption<Void>] = state.withLock { state in
            state.request.wasWritten(wasTaken: wasTaken)
            guard state.request.hasRoom else { return [] }
            defer { state.writers = [] }
            return state.writers
        }
        for writer in writers { writer.resume() }
    }

    func receive(end: consuming CallEnd) {
        let end = end
        let (reader, metadataReaders, writers) = state.withLock { state in
            state.end = end
            if end.dropsUnread { state.messages.removeAll() }
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
