import SwiftletCore
import SwiftletTransport

/// A request and its response on a connection of HTTP/1.1.
struct HTTP1Exchange {
    /// Nil if the call has ended after its request was sent. The connection then waits for its end.
    var call: CallCore?
    let stream: StreamHandle
    let prepared: PreparedHeaders
    /// Whether the call has the stream. Before, the exchange only keeps other calls from the connection.
    var isAttached = false
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
        guard let call else { return }
        if !isAttached {
            call.backend.begin(call)
        } else if mayBeRepeated, !hasResponse, !isSent || call.isIdempotent {
            call.streamWasNotProcessed(wasSent: isSent, error)
        } else {
            call.attemptFailed(with: error)
        }
    }

    func head(of call: CallCore) -> HeaderList {
        var head = prepared.list
        head.append(contentsOf: RequestHead.fields(call.metadata, deadline: .never))
        return head
    }
}

extension CallCore {
    /// Whether sending the request twice has the effect of sending it once (RFC 9110 §9.2.2).
    fileprivate var isIdempotent: Bool {
        switch head.method.plain?.method {
        case .get?, .head?, .put?, .delete?, .options?, HTTPMethod(rawValue: "TRACE")?: true
        default: false
        }
    }
}
