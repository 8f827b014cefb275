import SwiftletTransport

/// HTTP/1.1 (RFC 9112) without I/O: its input is bytes, and its output is events.
///
/// Heads are the same ``HeaderList`` as in HTTP/2: the pseudo-header fields of RFC 9113 §8.3 come first, and
/// names are in lower case. So the code that uses the engine is the same for both versions.
///
/// Every error ends the connection: after a framing error, the remaining bytes have no meaning.
package enum HTTP1 {
    /// How the end of a body is found (RFC 9112 §6.3).
    package enum BodyFraming: Hashable, Sendable {
        case none
        case sized(UInt64)
        case chunked
        /// The end of the connection is the end of the body. Responses only.
        case untilClose
    }

    /// The methods that affect the framing of a request or of its response.
    enum Method {
        static let head = "HEAD"
        static let connect = "CONNECT"

        /// Whether a request without content has the field `content-length: 0` (RFC 9110 §8.6).
        static func hasContentByDefinition(_ method: String) -> Bool {
            method == "POST" || method == "PUT" || method == "PATCH"
        }
    }
}

/// A rule of RFC 9112 that a message breaks.
package struct HTTP1Error: Error, Hashable, Sendable {
    /// The status with which a server refuses the request.
    package var status: Int
    package var message: String

    init(_ message: String, status: Int = 400) {
        self.status = status
        self.message = message
    }
}

extension HTTP1Error: CustomStringConvertible {
    package var description: String { message }
}
