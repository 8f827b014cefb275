package import SwiftletTransport

/// Which gRPC status stands for what went wrong below gRPC.
package enum StatusMapping {
    /// For answers without a `grpc-status` (http-grpc-status-mapping).
    package static func code(forHTTPStatus status: Int) -> StatusCode {
        switch status {
        case 400: .internal
        case 401: .unauthenticated
        case 403: .permissionDenied
        case 404: .unimplemented
        case 429, 502, 503, 504: .unavailable
        default: .unknown
        }
    }

    /// For a stream that was reset (PROTOCOL-HTTP2, "Errors").
    static func code(forReset code: ErrorCode) -> StatusCode {
        switch code {
        case .refusedStream: .unavailable
        case .cancel: .cancelled
        case .enhanceYourCalm: .resourceExhausted
        case .inadequateSecurity: .permissionDenied
        default: .internal
        }
    }

    /// - Parameter isLate: The call's deadline has passed, so that a CANCEL is the server's word
    ///   for it, which may come before our own clock's.
    package static func error(
        forReset code: ErrorCode, peer: String, isLate: Bool = false
    ) -> RPCError {
        let status = isLate && code == .cancel ? .deadlineExceeded : self.code(forReset: code)
        var error = RPCError(status, "the server reset the stream with \(code)")
        error.origin = .server
        error.peer = peer
        error.mayHaveBeenExecuted = code != .refusedStream
        return error
    }

    /// For a rule that the server broke on a stream.
    package static func error(for broken: HTTP2Error, peer: String) -> RPCError {
        let code: StatusCode = broken.code == .enhanceYourCalm ? .resourceExhausted : .internal
        var error = RPCError(code, "the server broke a rule of HTTP/2: \(broken.message)")
        error.peer = peer
        return error
    }

    package static func error(forLost link: LinkError, peer: String) -> RPCError {
        var error =
            link.isNetworkLoss
            ? networkLoss
            : RPCError(.unavailable, "the connection to \(peer) was lost: \(link.cause)")
        error.phase = .http2
        error.peer = peer
        error.causes = link.goAway.map { [$0] } ?? []
        return error
    }

    /// For a network that the machine has lost.
    static var networkLoss: RPCError { RPCError(.unavailable, "Connectivity lost.") }
}
