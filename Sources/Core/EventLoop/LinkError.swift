package import SwiftletTransport

/// Why a connection has ended.
package struct LinkError: Error, Sendable {
    package enum Phase: Sendable { case tls, http2 }

    /// The kind of failure, for metrics.
    package enum Kind: Hashable, Sendable {
        /// A system call failed; the value of `errno`.
        case system(CInt)
        /// The peer did not answer a PING.
        case keepAlive
        case other
    }

    package var phase: Phase
    package var cause: String
    package var kind = Kind.other
    /// The machine has lost its network.
    package var isNetworkLoss = false
    /// The text of the GOAWAY frame that the peer had sent.
    package var goAway: String?
}

extension LinkError {
    init(phase: Phase, _ error: SystemError) {
        self.init(phase: phase, cause: "\(error)", kind: .system(error.code))
    }
}

/// The times at which the steps of a connection were complete.
package struct ConnectionTimes: Sendable {
    package var begun: MonotonicInstant
    /// The end of the name resolution.
    package var resolved: MonotonicInstant?
    package var connected: MonotonicInstant?
    /// The end of the TLS handshake.
    package var secured: MonotonicInstant?
    /// The arrival of the server's SETTINGS.
    package var ready: MonotonicInstant?
    /// Failed attempts to connect before.
    package var failedAttemptCount = 0

    package init(begun: MonotonicInstant) { self.begun = begun }
}
