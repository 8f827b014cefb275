package import SwiftletTransport

/// Who is told what happens to a call: a face of it, or an interceptor.
///
/// The methods are called one at a time and in the order of the protocol: initial metadata (unless
/// the call ends without), messages as many as were asked for, and the end, once.
package protocol CallObserver: AnyObject, Sendable {
    func receive(initialMetadata: Metadata)
    /// - Parameter call: What gives it, for who minds it.
    func receive(message: [UInt8], from call: any CallRequests)
    /// The transport has taken a message that was written, and there is room for the next; or the
    /// call has ended, and it goes nowhere.
    func messageWasWritten(wasTaken: Bool)
    func receive(end: consuming CallEnd)

    /// Whether it keeps messages itself: then it is given with the one that it asked for all
    /// that lie ready, and says later which of them were read.
    var keepsMessages: Bool { get }
    func receive(messages: inout MessageQueue, from call: any CallRequests)

    /// Whether it waits for all of a response with one message: then it is told of it at once
    /// when it came so, and of its parts when it did not.
    var takesWhole: Bool { get }
    /// Whether it calls the user's handlers at once.
    var runsHandlers: Bool { get }
    /// - Parameter response: To be taken apart where it lies.
    func receive(_ response: inout RawResponse, from call: any CallRequests)
}

extension CallObserver {
    package var keepsMessages: Bool { false }
    package var takesWhole: Bool { false }
    package var runsHandlers: Bool { false }
    package func receive(messages: inout MessageQueue, from call: any CallRequests) {
        while let message = messages.popFirst() { receive(message: message.octets, from: call) }
    }

    package func receive(_ response: inout RawResponse, from call: any CallRequests) {
        if let metadata = response.initialMetadata { receive(initialMetadata: metadata) }
        if let message = response.message.take() { receive(message: message, from: call) }
        receive(end: response.end)
    }
}

/// How a call ended.
public struct CallEnd: Sendable {
    /// Nil is OK.
    public var error: RPCError?
    /// What the server sent with the status.
    public var trailers: Metadata
    /// Bit n is set when the n-th of the first 64 messages came compressed.
    package var compressedMessages: UInt64 = 0

    /// The call was ended from this side: what was not read yet is not to be.
    var dropsUnread = false

    /// What HTTP said, where it was heard.
    var httpStatus: Int?

    /// The call that ended, for what it knows of itself.
    var call: CallCore?

    public init(error: RPCError?, trailers: Metadata = Metadata()) {
        self.error = error
        self.trailers = trailers
    }

    /// When what happened in the course of the call; nil when it never came to the network.
    public var timeline: CallTimeline? { call?.timeline }
}

/// What carries a call that has been given a stream: a connection, or a fake of one.
package protocol StreamCarrier: AnyObject, Sendable {
    /// Sends a message. Returns whether there is room for more;
    /// when not, the call hears ``CallCore/streamHasRoom()`` later.
    func send(_ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool) -> Bool
    /// Has the call told when there is room again.
    func reportRoom(on stream: StreamHandle, to call: CallCore)
    func finish(_ stream: StreamHandle)
    /// Ends the stream. Returns whether nothing of it has been sent, because it waited for others to
    /// end.
    @discardableResult
    func reset(_ stream: StreamHandle) -> Bool
    /// So many octets of the stream's messages have been read.
    func consumed(_ byteCount: Int, on stream: StreamHandle)
}
