public import SwiftletCore
import SwiftletTransport

/// A streaming call whose reads and writes block the calling thread. One thread at a time may read,
/// and one may write.
///
/// Releasing it cancels the call.
public final class BlockingCall<Request: Sendable, Reply: Sendable>: Sendable {
    private let requests: RequestOutlet
    private let responses: ResponseSource
    private let inbox: ResponseInbox
    private let method: Method<Request, Reply>
    private let queue: CompletionQueue

    init(
        _ call: any CallRequests, _ inbox: ResponseInbox, _ method: Method<Request, Reply>,
        _ queue: CompletionQueue
    ) {
        requests = RequestOutlet(call, inbox)
        responses = ResponseSource(call, inbox)
        self.inbox = inbox
        self.method = method
        self.queue = queue
    }
}

extension BlockingCall {
    /// Sends a message. Returns when there is room for the next. Throws after the end of the call.
    public func write(_ message: Request) throws(RPCError) {
        guard !queue.blocksItself else { throw .blockedQueue }
        if let failure = inbox.failureOfWriting { throw failure }
        let bytes = try method.requestCodec.encode(message)
        if try !requests.write(bytes, andFinish: false, allowsCompression: true) {
            Resumption.block(on: queue) { inbox.wait(.forRoom($0)) }
        }
        try requests.checkLoss()
    }

    /// Sends the values of a sequence, each when there is room for it.
    public func write(contentsOf messages: some Sequence<Request>) throws(RPCError) {
        for message in messages { try write(message) }
    }

    /// Ends the request: no more messages follow.
    public func finish() {
        requests.willFinish()
        requests.call.finish()
    }

    /// The next message; nil after the end of a call with status OK. Throws the error of any other
    /// end.
    public func next() throws(RPCError) -> Reply? {
        guard !queue.blocksItself else { throw .blockedQueue }
        var found = try responses.takeReady()
        if case .nothing = found {
            found = Resumption.block(on: queue) { inbox.wait(.forMessage($0)) }
        }
        guard let bytes = try found.message else { return nil }
        do throws(RPCError) {
            return try method.replyCodec.decode(bytes.contiguous.span)
        } catch {
            responses.fail(error)
            throw error
        }
    }

    /// Waits for the initial metadata and returns it. Empty if the response consists only of the
    /// status OK. Throws the error of a call that failed without initial metadata. If the metadata
    /// has not arrived, throws FAILED_PRECONDITION on the thread of the channel's queue, which must
    /// not wait.
    public func initialMetadata() throws(RPCError) -> Metadata {
        guard !queue.blocksItself || inbox.hasInitialMetadata else { throw .blockedQueue }
        return try Resumption.block(on: queue) { inbox.wait(.forInitialMetadata($0)) }.get()
    }

    /// The trailing metadata; nil before the end of the call.
    public var trailingMetadata: Metadata? { inbox.end?.trailers }

    /// The end of the call; nil before it.
    var end: CallEnd? { inbox.end }

    /// Ends the call with CANCELLED.
    public func cancel() { requests.call.cancel() }

    /// Whether messages that are written from now on are dropped.
    var isOver: Bool { requests.isOver }
}
