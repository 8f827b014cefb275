import SwiftletTransport

/// The gRPC status of a failure in HTTP/2 or in the connection.
package enum StatusMapping {
    /// For responses without `grpc-status` (http-grpc-status-mapping).
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

    /// For a stream that the server reset (PROTOCOL-HTTP2, "Errors").
    static func code(forReset code: ErrorCode) -> StatusCode {
        switch code {
        case .refusedStream: .unavailable
        case .cancel: .cancelled
        case .enhanceYourCalm: .resourceExhausted
        case .inadequateSecurity: .permissionDenied
        default: .internal
        }
    }

    static func error(forReset code: ErrorCode, peer: String) -> RPCError {
        var error = RPCError(self.code(forReset: code), "the server reset the stream with \(code)")
        error.origin = .server
        error.peer = peer
        error.mayHaveBeenExecuted = code != .refusedStream
        return error
    }

    /// The error of a call, if the server violated HTTP/2 on its stream.
    static func error(for broken: HTTP2Error, peer: String) -> RPCError {
        let code: StatusCode = broken.code == .enhanceYourCalm ? .resourceExhausted : .internal
        var error = RPCError(code, "the server violated HTTP/2: \(broken.message)")
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

    /// The error of a call whose connection was closed because the machine lost its network.
    static var networkLoss: RPCError { RPCError(.unavailable, "Connectivity lost.") }
}

extension RPCError {
    /// The error in place of a CANCELLED that arrives after the deadline. The server's timer was sooner than that of this
    /// side (PROTOCOL-HTTP2, "Client Cancellation"). Nothing of the trailers is used.
    var late: RPCError {
        var late = RPCError(
            .deadlineExceeded, "the deadline passed, and the server has cancelled the call")
        late.peer = peer
        late.mayHaveBeenExecuted = mayHaveBeenExecuted
        return late
    }

    /// The error of a call whose request headers are larger than the server accepts.
    static func headerListTooLarge(_ limit: Int, peer: String) -> RPCError {
        var error = RPCError.refused(
            .resourceExhausted,
            "the headers of the request exceed the server's limit of \(limit) bytes; "
                + "send less metadata")
        error.peer = peer
        return error
    }
}
