/// A rule of RFC 9113 that the peer broke.
///
/// The case determines what ends: a stream error is answered with RST_STREAM (§5.4.2). A connection error is
/// answered with GOAWAY and ends every stream (§5.4.1).
///
/// Only errors of the peer are thrown. A reset that the peer *sends* is an event, not an error. A mistake in
/// this module, or in its caller, fails an assertion or a precondition.
package enum HTTP2Error: Error, Equatable, Sendable {
    case connection(ErrorCode, String)
    case stream(StreamID, ErrorCode, String)
}

extension HTTP2Error {
    package var code: ErrorCode {
        switch self {
        case .connection(let code, _), .stream(_, let code, _): code
        }
    }

    package var message: String {
        switch self {
        case .connection(_, let message), .stream(_, _, let message): message
        }
    }
}

extension HTTP2Error: CustomStringConvertible {
    package var description: String {
        switch self {
        case .connection(let code, let message): "connection error \(code): \(message)"
        case .stream(let id, let code, let message): "error \(code) on stream \(id): \(message)"
        }
    }
}
