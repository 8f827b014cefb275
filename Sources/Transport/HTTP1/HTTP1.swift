/// HTTP/1.1 (RFC 9112) without I/O: bytes in, events out.
///
/// Heads are the same ``HeaderList`` as in HTTP/2, with the pseudo-header fields of RFC 9113 §8.3 in
/// front and names in lower case. Code above the engine reads and writes both versions alike.
///
/// Every error ends the connection: after a framing error the rest of the bytes have no meaning.
package enum HTTP1 {
    /// How the end of a body is found (RFC 9112 §6.3).
    package enum BodyFraming: Hashable, Sendable {
        case none
        case sized(UInt64)
        case chunked
        /// The end of the connection is the end of the body. Responses only.
        case untilClose
    }

    /// A limit for each part that a peer can make grow.
    package struct Limits: Hashable, Sendable {
        /// The start line: against a line without an end.
        package var maxStartLineByteCount = 8 << 10
        /// All fields of a head, or of the trailers, as HTTP/2 counts them: 32 bytes for each field
        /// in addition to name and value. Against lists without an end, and many empty fields.
        package var maxFieldsByteCount = 64 << 10
        /// The line in front of a chunk: against extensions without an end.
        package var maxChunkLineByteCount = 1 << 10
        /// All extensions of the chunks of a body: against a body that has more extension than content.
        package var maxExtensionByteCount = 16 << 10
        /// The most 1xx responses before the final one: against a server that sends 1xx responses without an
        /// end.
        package var maxInterimCount = 16

        package init() {}
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
