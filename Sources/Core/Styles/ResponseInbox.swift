import Synchronization

/// Keeps the messages of a streaming call for the task or thread that reads them. A call without interceptors
/// delivers all messages that have arrived; the inbox reports which of them were read. An
/// interceptor delivers a message only when asked.
package final class ResponseInbox: CallObserver {
    package enum Found: Sendable {
        case message([UInt8])
        case end(CallEnd)
        case nothing
    }

    package enum Waiter {
        case forMessage(Resumption<Found>)
        case forInitialMetadata(Resumption<Result<Metadata, RPCError>>)
        case forRoom(Resumption<Void>)
    }

    fileprivate struct State: ~Copyable {
        var messages = MessageQueue()
        /// Bytes of messages that were delivered without being asked for, were read, and were not
        /// reported to the call.
        var readByteCount = 0
        var initialMetadata: Metadata?
        private var kept: KeptEnd?
        var end: CallEnd? {
            get { kept?.end }
            set { kept = newValue.map(KeptEnd.init) }
        }
        var reader: Resumption<Found>?
        var metadataReaders: [Resumption<Result<Metadata, RPCError>>] = []
        var writers: [Resumption<Void>] = []
        /// Messages that were written and not accepted yet. Below zero for a moment if a message is
        /// accepted before its writer counts it.
        var unwrittenCount = 0
        var requestIsFinished = false
        /// Whether a message was dropped because the call had ended.
        var hasLost = false

        /// Whether all messages were accepted, or the call has ended.
        var hasRoom: Bool { unwrittenCount <= 0 || kept != nil }
    }

    /// A separate object, which keeps the inbox of every running call small.
    private final class KeptEnd: Sendable {
        let end: CallEnd
        init(_ end: CallEnd) { self.end = end }
    }

    private let state = Mutex(State())
    /// Whether a task reads the messages.
    package let isAwaited: Bool

    package init(isForTask: Bool = true) { isAwaited = isForTask }
}

extension ResponseInbox {
    /// The number of read bytes at which they are reported to the call.
    private static let reportThreshold = 8 << 10

    struct Poll {
        /// The message or the end, if there is one.
        var found: Found
        /// Bytes that were read and must be reported to the call. 0 if they are too few to be
        /// reported now.
        var readByteCount = 0
        /// Whether a task waits for a message.
        var hasReader = false
    }

    func poll() -> Poll {
        state.withLock { state in
            let found = state.takeFound()
            if case .message = found, state.readByteCount < Self.reportThreshold {
                return Poll(found: found)
            }
            // A second reader does not ask for a message.
            guard state.reader == nil else { return Poll(found: found, hasReader: true) }
            defer { state.readByteCount = 0 }
            return Poll(found: found, readByteCount: state.readByteCount)
        }
    }

    /// Fails the call on this side. Drops its messages, and messages that another thread delivers
    /// later. The call ends with this error, even if another end arrives later.
    func fail(_ error: RPCError) {
        state.withLock { state in
            state.messages.removeAll()
            state.end = CallEnd(error: error, trailers: state.end?.trailers ?? Metadata())
        }
    }

    package var end: CallEnd? { state.withLock { $0.end } }

    /// The error that another write would throw; nil if a write is allowed. A write to a finished
    /// request is a mistake of the program, even if the call has ended in the meantime.
    package var failureOfWriting: RPCError? {
        state.withLock { $0.requestIsFinished ? .requestIsFinished : $0.end?.errorOfWriting }
    }

    func requestWasFinished() { state.withLock { $0.requestIsFinished = true } }

    /// Whether a wait for the initial metadata would end at once.
    package var hasInitialMetadata: Bool {
        state.withLock { $0.initialMetadata != nil || $0.end != nil }
    }

    /// A second reader at the same time receives nothing: a stream has one reader.
    package func wait(_ waiter: Waiter) {
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
                if state.hasRoom { return true }
                state.writers.append(continuation)
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// A message is about to be written, or was just written.
    func willWrite() { state.withLock { $0.unwrittenCount += 1 } }

    /// A message is about to be written. For a call that may report a message as accepted more than
    /// once: earlier surplus reports do not count.
    func willWriteFirst() { state.withLock { $0.unwrittenCount = max(0, $0.unwrittenCount) + 1 } }

    /// Whether a message was dropped, or the next would be.
    var hasLostMessage: Bool { state.withLock { $0.hasLost || $0.end != nil } }

    /// Whether all messages were accepted, or the call has ended.
    var hasRoom: Bool { state.withLock { $0.hasRoom } }
}

extension ResponseInbox.Found {
    /// The message; nil at the end of a call with OK. Throws the error of any other end, and if another reader
    /// waits for the message.
    package var message: [UInt8]? {
        get throws(RPCError) {
            switch self {
            case .message(let bytes): return bytes
            case .end(let end):
                if let error = end.error { throw error }
                return nil
            case .nothing: throw .secondReader
            }
        }
    }
}

extension ResponseInbox.State {
    fileprivate mutating func takeFound() -> ResponseInbox.Found {
        if let message = messages.popFirst() {
            readByteCount += message.wireByteCount
            return .message(message.bytes)
        }
        if let end { return .end(end) }
        return .nothing
    }
}

extension CallEnd {
    /// The initial metadata of a call that ended without any: empty, or the error of the call.
    var withoutMetadata: Result<Metadata, RPCError> {
        // A response may consist only of a status, and that status may be OK.
        if let error { .failure(error) } else { .success(Metadata()) }
    }
}

// MARK: - Events of the call

extension ResponseInbox {
    package func receive(initialMetadata: Metadata) {
        let readers = state.withLock { state in
            state.initialMetadata = initialMetadata
            defer { state.metadataReaders = [] }
            return state.metadataReaders
        }
        for reader in readers { reader.resume(returning: .success(initialMetadata)) }
    }

    package var keepsMessages: Bool { true }

    package func receive(message: [UInt8], from call: any CallRequests) {
        var messages = MessageQueue()
        messages.append(AssembledMessage(bytes: message, isCompressed: false))
        receive(messages: &messages, from: call)
    }

    package func receive(messages: inout MessageQueue, from call: any CallRequests) {
        let (reader, found): (Resumption<Found>?, Found) = state.withLock { state in
            guard state.end == nil else { return (nil, .nothing) }
            // The first message was asked for, so it does not count.
            state.readByteCount -= messages.firstByteCount
            state.messages.append(all: &messages)
            guard let reader = state.reader.take() else { return (nil, .nothing) }
            return (reader, state.takeFound())
        }
        reader?.resume(returning: found)
    }

    package func messageWasWritten(wasAccepted: Bool) {
        let writers: [Resumption<Void>] = state.withLock { state in
            state.unwrittenCount -= 1
            if !wasAccepted { state.hasLost = true }
            guard state.hasRoom else { return [] }
            defer { state.writers = [] }
            return state.writers
        }
        for writer in writers { writer.resume() }
    }

    package func receive(end: consuming CallEnd) {
        var end = end
        let (reader, metadataReaders, writers) = state.withLock { state in
            end.keepFailure(of: state.end)
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
