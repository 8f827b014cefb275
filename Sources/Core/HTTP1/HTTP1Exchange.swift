import SwiftletTransport

/// A request and its response on a connection of HTTP/1.1.
struct HTTP1Exchange {
    /// Nil if the call has ended after its request was sent. The connection then waits for its end.
    var call: CallCore?
    let stream: StreamHandle
    let head: HeaderList
    let isIdempotent: Bool
    /// The content so far. It is sent when it is complete, because its length is sent before it.
    var body: [UInt8] = []
    var isSent = false
    var hasResponse = false
}

extension HTTP1Exchange {
    /// Ends the call, or sends it again, after its connection has ended.
    ///
    /// - Parameter mayBeRepeated: Whether a request without a response is sent again if it is
    ///   idempotent or was not sent.
    func connectionEnded(with error: RPCError, mayBeRepeated: Bool) {
        if mayBeRepeated, !hasResponse, isIdempotent || !isSent {
            call?.streamWasNotProcessed(wasSent: isSent, error)
        } else {
            call?.end(with: error, isImmediate: false)
        }
    }
}

extension HTTP1Link {
    /// The result of giving a connection to a call.
    enum Opening {
        case isOpen
        /// The call has ended, and the connection can carry another.
        case isOver
        /// The connection cannot carry the call. Nothing of the call was sent.
        case refused
    }
}
