import SwiftletTransport
import Synchronization

/// A streaming call whose reads and writes block the calling thread. One thread at a time may read,
/// and one may write; on a queue that is turned by hand that must be the same one.
///
/// Letting go of it cancels the call.
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
    /// Sends a message; returns when there is room for the next. Throws when the call has ended.
    public func write(_ message: Request) throws(RPCError) {
        guard !inbox.blocksItself else { throw .blockedQueue }
        if let obstacle = inbox.obstacle { throw obstacle }
        if let error = call.errorOfWriting(inbox.end) { throw error }
        let octets = try method.requestCodec.encode(message)
        inbox.willWrite()
        call.write(octets, andFinish: false)
        inbox.waitForRoom()
        if inbox.hasLostMessage { throw call.errorOfWriting(inbox.end) ?? .callHasEnded }
    }

    /// Says that no more messages follow.
    public func finish() {
        inbox.requestWasFinished()
        call.finish()
    }

    /// The next message; nil when the call has ended well.
    public func next() throws(RPCError) -> Reply? {
        guard !inbox.blocksItself else { throw .blockedQueue }
        if inbox.needsDemand { call.receiveNext() }
        switch inbox.waitForMessage() {
        case .message(let octets):
            do throws(RPCError) {
                return try method.replyCodec.decode(octets.span)
            } catch {
                call.fail(error)
                throw error
            }
        case .end(let end):
            if let error = end.error { throw error }
            return nil
        }
    }

    /// What the server sent before its first message; waits for it. Empty when the call ended
    /// without any, and when it failed too, which ``ResponseStream/initialMetadata`` throws: here
    /// ``next()`` tells why.
    public func initialMetadata() -> Metadata { inbox.waitForInitialMetadata() }

    /// What came with the status; nil until the call has ended.
    public var trailingMetadata: Metadata? { inbox.end?.trailers }

    /// Ends the call with CANCELLED.
    public func cancel() { call.cancel() }

    /// Whether nothing that is written reaches the server any more.
    var isOver: Bool { inbox.end != nil || call.takesNoMore }
}

/// What has come of a call that a thread waits for.
final class BlockingInbox: CallObserver {
    enum Found {
        case message([UInt8])
        case end(CallEnd)
    }

    private struct State {
        /// More than one where an interceptor gives what nobody has asked for.
        var messages = Backlog<[UInt8]>()
        var initialMetadata: Metadata?
        var request = RequestProgress()
        var end: CallEnd?
        /// A message was asked for and has not come.
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

    /// Why no message can be written any more.
    var obstacle: RPCError? { state.withLock { $0.request.obstacle($0.end) } }

    func requestWasFinished() { state.withLock { $0.request.finish() } }

    /// An interceptor may say more than once that a message was taken.
    func willWrite() { state.withLock { $0.request.willWriteFirst() } }

    /// Whether a message that was written, or would be, goes nowhere.
    var hasLostMessage: Bool { state.withLock { $0.request.hasLost || $0.end != nil } }

    func waitForRoom() { wait { $0.request.hasRoom } }

    /// Whether the next message has yet to be asked for.
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

    func waitForInitialMetadata() -> Metadata {
        if !blocksItself { wait { $0.initialMetadata != nil } }
        return state.withLock { $0.initialMetadata } ?? Metadata()
    }

    /// Blocks until `isSo` or the call has ended.
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
        note { $0.messages.append(message) }
    }

    func messageWasWritten(wasTaken: Bool) { note { $0.request.wasWritten(wasTaken: wasTaken) } }

    func receive(end: CallEnd) { note { $0.end = end } }

    private func note(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
        gate.open()
        queue.wakeTurner()
    }
}
