package import SwiftletTransport

/// Why a connection has ended, or accepts no more calls.
package struct LinkError: Error, Sendable {
    package enum Phase: Sendable { case tls, http2 }

    /// The kind of failure, for metrics and for the delay before the next attempt.
    package enum Kind: Equatable, Sendable {
        /// A system call failed; the value of `errno`.
        case system(CInt)
        /// The peer did not answer a PING.
        case keepAlive
        /// The peer drains the connection.
        case goAway(ErrorCode)
        /// This side has ended the connection, although it could still get calls: the channel was idle or closed, the
        /// resolver no longer reports the address, or a call ended the connection.
        case ownEnd
        case other
    }

    var phase: Phase
    var cause: String
    var kind = Kind.other
    /// The machine has lost its network.
    package var isNetworkLoss = false
    /// The text of the GOAWAY frame that the peer had sent.
    var goAway: String?

    package init(
        phase: Phase, cause: String, kind: Kind = .other, isNetworkLoss: Bool = false,
        goAway: String? = nil
    ) {
        self.phase = phase
        self.cause = cause
        self.kind = kind
        self.isNetworkLoss = isNetworkLoss
        self.goAway = goAway
    }
}

extension LinkError {
    package init(phase: Phase, _ error: SystemError) {
        self.init(phase: phase, cause: "\(error)", kind: .system(error.code))
    }
}

extension RPCError {
    /// The error of a call whose credentials must not be sent on its connection.
    static var insecureConnection: RPCError {
        .refused(
            .unauthenticated,
            "call credentials are not sent on an unencrypted connection; use TLS credentials for the channel"
        )
    }
}
