package import SwiftletTransport

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

/// The peer and the times of a connection. Calls keep it after the end of the connection.
package final class ConnectionRecord: Sendable {
    package let peer: String
    package let times: ConnectionTimes

    package init(peer: String, _ times: ConnectionTimes) {
        self.peer = peer
        self.times = times
    }
}
