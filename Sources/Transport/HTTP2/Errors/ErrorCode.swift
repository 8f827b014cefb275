/// Why a stream was reset or a connection was closed, as a number on the wire.
///
/// A struct and not an enum, because a peer may send a code that is not registered: "unknown or
/// unsupported error codes MUST NOT trigger any special behavior" (RFC 9113 §7).
package struct ErrorCode: RawRepresentable, Equatable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }
}

// MARK: - Registered codes (RFC 9113 §7)

extension ErrorCode {
    /// A graceful end. The only code that is not an error.
    package static let noError = ErrorCode(rawValue: 0x0)

    /// The peer broke a rule that has no more specific code.
    package static let protocolError = ErrorCode(rawValue: 0x1)

    /// The sender of the code failed because of an internal error.
    package static let internalError = ErrorCode(rawValue: 0x2)

    /// The peer sent more than a window allowed, or grew a window beyond 2³¹−1.
    package static let flowControlError = ErrorCode(rawValue: 0x3)

    /// SETTINGS were not acknowledged in time.
    package static let settingsTimeout = ErrorCode(rawValue: 0x4)

    /// A frame arrived after its sender had ended the stream.
    package static let streamClosed = ErrorCode(rawValue: 0x5)

    /// A frame's length is impossible for its type, or above SETTINGS_MAX_FRAME_SIZE.
    package static let frameSizeError = ErrorCode(rawValue: 0x6)

    /// The stream was refused before any processing; the request is safe to send again.
    package static let refusedStream = ErrorCode(rawValue: 0x7)

    /// The stream is no longer needed.
    package static let cancel = ErrorCode(rawValue: 0x8)

    /// The header compression context can no longer be maintained.
    package static let compressionError = ErrorCode(rawValue: 0x9)

    /// The connection that a CONNECT request opened was reset or closed abnormally.
    package static let connectError = ErrorCode(rawValue: 0xa)

    /// The peer causes too much work.
    package static let enhanceYourCalm = ErrorCode(rawValue: 0xb)

    /// The TLS connection does not meet the required security.
    package static let inadequateSecurity = ErrorCode(rawValue: 0xc)

    /// The request must be made over HTTP/1.1.
    package static let http11Required = ErrorCode(rawValue: 0xd)
}

extension ErrorCode: CustomStringConvertible {
    private static let names = [
        "NO_ERROR", "PROTOCOL_ERROR", "INTERNAL_ERROR", "FLOW_CONTROL_ERROR", "SETTINGS_TIMEOUT",
        "STREAM_CLOSED", "FRAME_SIZE_ERROR", "REFUSED_STREAM", "CANCEL", "COMPRESSION_ERROR",
        "CONNECT_ERROR", "ENHANCE_YOUR_CALM", "INADEQUATE_SECURITY", "HTTP_1_1_REQUIRED",
    ]

    package var description: String {
        rawValue < Self.names.count
            ? Self.names[Int(rawValue)] : "0x" + String(rawValue, radix: 16)
    }
}
