package import SwiftletTransport

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Why a connection is no longer used for new calls, as `grpc.disconnect_error` names it (proposal
/// A94).
package enum DisconnectCause: Equatable {
    case goAway(ErrorCode)
    /// The channel closed the connection: it was idle, the channel was closed, or the resolver no
    /// longer reports its address.
    case subchannelShutdown
    case failed(LinkError.Kind)
}

extension DisconnectCause {
    package var text: String {
        switch self {
        case .goAway(let code): "GOAWAY \(code)"
        case .subchannelShutdown: "subchannel shutdown"
        case .failed(.system(ECONNRESET)): "connection reset"
        case .failed(.system(ETIMEDOUT)), .failed(.keepAlive): "connection timed out"
        case .failed(.system(ECONNABORTED)): "connection aborted"
        case .failed(.system): "socket error"
        case .failed(.ownEnd), .failed(.other): "unknown"
        }
    }
}
