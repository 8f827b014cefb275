import SwiftletTransport
import Synchronization

/// A streaming call whose reads and writes block the calling thread. One thread at a time may read,
/// and one may write.
///
/// Releasing it cancels the call.
public final class BlockingCall<Request: Sendable, Reply: Sendable>: Sendable {
    private let call: any CallRequests
    private let inbox: BlockingInbox
    private let method: Method<Request, Reply>

    init(_ call: any CallRequests, _ inbox: BlockingInbox, _ method: Method<Request, Reply>) {
        self.call = call
        self.inbox = inbox
        self.method = method
    }

    deinit { call.cancel() }
}

extension BlockingCall {
    /// Sends a message. Returns when there is room for the next. Throws after the end of the call.
    public func write(_ message: Request) throws(RPCError) {
        guard !inbox.blocksItself else { throw .blockedQueue }
        if let failure = inbox.failureOfWriting { throw failure }
        if let error = call.errorOfWriting(inbox.end) { throw error }
        let bytes = try method.requestCodec.encode(message)
        inbox.willWrite()
        call.write(bytes, andFinish: false)
        inbox.waitForRoom()
        if inbox.hasLostMessage { throw call.errorOfWriting(inbox.end) ?? .callHasEnded }
    }

    /// Ends the request: no more messages follow.
    public func finish() {
        inbox.requestWasFinished()
        call.finish()
    }

    /// The next message; nil after the end of a call with status OK. Throws the error of any other
    /// end.
    public func next() throws(RPCError) -> Reply? {
        guard !inbox.blocksItself else { throw .blockedQueue }
        if inbox.needsDemand { call.receiveNext() }
        switch inbox.waitForMessage() {
        case .message(let bytes):
            do throws(RPCError) {
                return try method.replyCodec.decode(bytes.contiguous.span)
            } catch {
                inbox.fail(error)
                call.fail(error)
                throw error
            }
        case .end(let end):
            if let error = end.error { throw error }
            return nil
        }
    }

    /// Waits for the initial metadata and returns it. Empty if the response consists only of the
    /// status OK. Throws the error of a call that failed without initial metadata. If the metadata
    /// has not arrived, throws FAILED_PRECONDITION on the thread of the channel's queue, which must
    /// not wait.
    public func initialMetadata() throws(RPCError) -> Metadata { try inbox.initialMetadata() }

    /// The trailing metadata; nil before the end of the call.
    public var trailingMetadata: Metadata? { inbox.end?.trailers }

    /// The end of the call; nil before it.
    var end: CallEnd? { inbox.end }

    /// Ends the call with CANCELLED.
    public func cancel() { call.cancel() }

    /// Whether messages that are written from now on are dropped.
    var isOver: Bool { inbox.end != nil || call.dropsWrites }
}

/// The events of a call, for a thread that waits for them.
final class BlockingInbox: CallObserver {
    enum Found {
        case message([UInt8])
        case end(CallEnd)
    }

    private struct State {
        /// More than one if an interceptor delivers messages that were not asked for.
        var messages = Backlog<[UInt8]>()
        var initialMetadata: Metadata?
        var request = RequestProgress()
        var end: CallEnd?
        /// Whether a message was asked for and has not arrived.
        var isAsked = false
    }

    private let queue: CompletionQueue
    private let gate = BlockingGate()
    private let state = Mutex(State())

    init(_ queue: CompletionQueue) { self.queue = queue }
}

extension BlockingInbox {
    var blocksItself: Bool { queue.blocksItself }

    var end: CallEnd? { state.withLock { $0.end } }

    /// The error that another write would throw; nil if a write is allowed.
    var failureOfWriting: RPCError? { state.withLock { $0.request.failure($0.end) } }

    func requestWasFinished() { state.withLock { $0.request.finish() } }

    /// A message is about to be written. Surplus reports for earlier messages do not count: an
    /// interceptor may report a message as written more than once.
    func willWrite() { state.withLock { $0.request.willWriteFirst() } }

    /// Whether a message was dropped, or the next would be.
    var hasLostMessage: Bool { state.withLock { $0.request.hasLost || $0.end != nil } }

    func waitForRoom() { wait { $0.request.hasRoom } }

    /// Whether the next message was not asked for yet. Records that it is asked for now.
    var needsDemand: Bool {
        state.withLock { state in
            defer { state.isAsked = true }
            return !state.isAsked
        }
    }

    func waitForMessage() -> Found {
        while true {
            wait { !$0.messages.isEmpty }
            let found: Found? = state.withLock { state in
                if let message = state.messages.popFirst() {
                    state.isAsked = false
                    return .message(message)
                }
                return state.end.map { .end($0) }
            }
            if let found { return found }
        }
    }

    func initialMetadata() throws(RPCError) -> Metadata {
        if let found = foundInitialMetadata { return try found.get() }
        guard !blocksItself else { throw .blockedQueue }
        wait { $0.initialMetadata != nil }
        return try foundInitialMetadata?.get() ?? Metadata()
    }

    /// The result of waiting for the initial metadata; nil before there is one.
    private var foundInitialMetadata: Result<Metadata, RPCError>? {
        state.withLock { state in
            if let metadata = state.initialMetadata { return .success(metadata) }
            return state.end?.withoutMetadata
        }
    }

    /// Blocks until `isSo` is true or the call has ended.
    private func wait(until isSo: (State) -> Bool) {
        func isDone() -> Bool { state.withLock { isSo($0) || $0.end != nil } }
        if queue.mode == .byHand { return queue.turn { !isDone() } }
        while true {
            let mark = gate.mark
            if isDone() { return }
            gate.wait(since: mark)
        }
    }
}

extension BlockingInbox {
    func receive(initialMetadata: Metadata) { note { $0.initialMetadata = initialMetadata } }

    func receive(message: [UInt8], from call: any CallRequests) {
        note { if $0.end == nil { $0.messages.append(message) } }
    }

    func messageWasWritten(wasAccepted: Bool) {
        note { $0.request.wasWritten(wasAccepted: wasAccepted) }
    }

    func receive(end: CallEnd) {
        note { state in
            var end = end
            end.keepFailure(of: state.end)
            state.end = end
            if end.dropsUnread { state.messages = Backlog() }
        }
    }

    /// Fails the call on this side. Drops its messages, and messages that another thread delivers
    /// later. The call ends with this error, even if another end arrives later.
    func fail(_ error: RPCError) {
        note { state in
            state.messages = Backlog()
            state.end = CallEnd(error: error, trailers: state.end?.trailers ?? Metadata())
        }
    }

    private func note(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        gate.open()
        queue.wakeTurner()
    }
}
