package import SwiftletTransport

/// Receives the events of a call: the call's API (async, blocking, handlers or futures), or an
/// interceptor.
///
/// The methods are called one at a time, in the order of the protocol: initial metadata (unless the
/// call ends without any), as many messages as were asked for, and the end, once.
package protocol CallObserver: AnyObject, Sendable {
    func receive(initialMetadata: Metadata)
    /// - Parameter call: The call that received the message.
    func receive(message: [UInt8], from call: any CallRequests)
    /// The transport has accepted a message, and there is room for the next; or, if `wasAccepted` is
    /// false, the call has ended and the message was dropped.
    func messageWasWritten(wasAccepted: Bool)
    func receive(end: consuming CallEnd)

    /// Whether the observer keeps messages. If so, and if no message is compressed, it receives
    /// in one call all messages that have arrived. It reports later which of them were read.
    var keepsMessages: Bool { get }
    func receive(messages: inout MessageQueue, from call: any CallRequests)

    /// Whether the observer can receive a response with at most one message as a whole. If the
    /// response is complete before any part is delivered, it is delivered as a whole. Otherwise
    /// its parts are delivered.
    var acceptsWholeResponse: Bool { get }
    /// Whether the methods call handlers of the user.
    var runsHandlers: Bool { get }
    /// Whether a task awaits the call, so that any thread may report its end.
    var isAwaited: Bool { get }
    /// A server has refused the call before its application saw it. Whether the call may be sent again: a call
    /// is granted that once, however many attempts it consists of (proposal A6). Called under the lock of the
    /// call, so it must not call out.
    func mayBeSentAgain() -> Bool
    /// - Parameter response: The observer may move its parts out.
    func receive(_ response: inout RawResponse, from call: any CallRequests)
}

extension CallObserver {
    package var keepsMessages: Bool { false }
    package var acceptsWholeResponse: Bool { false }
    package var runsHandlers: Bool { false }
    package var isAwaited: Bool { false }
    package func mayBeSentAgain() -> Bool { true }
    package func receive(messages: inout MessageQueue, from call: any CallRequests) {
        while let message = messages.popFirst() { receive(message: message.bytes, from: call) }
    }

    package func receive(_ response: inout RawResponse, from call: any CallRequests) {
        receiveParts(of: &response, from: call)
    }

    /// Receives a response as the parts that it consists of.
    package func receiveParts(of response: inout RawResponse, from call: any CallRequests) {
        if let metadata = response.initialMetadata { receive(initialMetadata: metadata) }
        if let message = response.message.take() { receive(message: message, from: call) }
        receive(end: response.end)
    }
}

/// How a call ended.
public struct CallEnd: Sendable {
    /// Nil means OK.
    public var error: RPCError?
    /// The metadata that the server sent with the status.
    public var trailers: Metadata
    /// Bit n is set if message n, counted from 0 to 63, arrived compressed.
    var compressedMessages: UInt64 = 0

    /// The times of the call; nil if it never reached the network.
    var times: CallTimes?

    /// 0 if there was no response.
    private var httpStatusOrZero: Int16 = 0

    /// Whether the call was ended on this side, so that messages that were not read are dropped.
    package var dropsUnread = false

    public init(error: RPCError?, trailers: Metadata = Metadata()) {
        self.error = error
        self.trailers = trailers
    }

    /// The times of the call; nil if it never reached the network.
    public var timeline: CallTimeline? { times?.timeline }

    /// The HTTP status of the response; nil if there was no response.
    package var httpStatus: Int? {
        get { httpStatusOrZero == 0 ? nil : Int(httpStatusOrZero) }
        set { httpStatusOrZero = Int16(clamping: newValue ?? 0) }
    }
}

extension CallEnd {
    /// If the call has failed on this side (`earlier`), keeps the error of that failure. The call
    /// may have had this end before the failure, and report it only now.
    mutating func keepFailure(of earlier: CallEnd?) {
        guard let earlier else { return }
        error = earlier.error
        dropsUnread = true
    }
}

/// Carries a call that has a stream: a connection, or a fake of one.
package protocol StreamCarrier: AnyObject, Sendable {
    /// Sends a message. Returns whether there is room for another. If not, the caller asks with
    /// ``reportRoom(on:to:)`` for a report.
    func send(_ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool) -> Bool
    /// Calls ``CallCore/streamHasRoom()`` when there is room again.
    func reportRoom(on stream: StreamHandle, to call: CallCore)
    func finish(_ stream: StreamHandle)
    /// Resets the stream. Returns true if the stream was still waiting to be opened, so that none
    /// of its bytes were sent.
    @discardableResult
    func reset(_ stream: StreamHandle) -> Bool
    /// The call has consumed bytes of the stream's messages.
    func consumed(_ consumption: Consumption, on stream: StreamHandle)
    /// The loop whose thread receives the responses; nil if there is none.
    var readingLoop: EventLoop? { get }
    /// What keeps the request from being sent, for the error of a deadline.
    func obstacle(of stream: StreamHandle) -> StreamObstacle?
}

/// What keeps a request from being sent on a connection.
package enum StreamObstacle: Sendable {
    /// As many streams are open as the server allows.
    case streamLimit
    /// The server has not granted window for the rest of the request, or the socket is full.
    case flowControl
}

extension StreamCarrier {
    package func obstacle(of stream: StreamHandle) -> StreamObstacle? { nil }
    package var readingLoop: EventLoop? { nil }
}
