package import SwiftletTransport

/// Why a connection has ended.
package struct LinkError: Error, Sendable {
    package enum Phase: Sendable { case tls, http2 }

    package var phase: Phase
    package var cause: String
    /// The peer sent ENHANCE_YOUR_CALM because of our PING frames.
    package var isTooManyPings = false
    /// The machine has lost its network.
    package var isNetworkLoss = false
    /// The text of the GOAWAY frame that the peer had sent.
    package var goAway: String?
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
