package import SwiftletTransport

/// The times at which the steps of a connection were complete.
package struct ConnectionTimes: Sendable {
    var begun: MonotonicInstant
    /// The end of the name resolution.
    var resolved: MonotonicInstant?
    var connected: MonotonicInstant?
    /// The end of the TLS handshake.
    var secured: MonotonicInstant?
    /// The arrival of the server's SETTINGS.
    package internal(set) var ready: MonotonicInstant?
    /// Failed attempts to connect before.
    var failedAttemptCount = 0

    package init(begun: MonotonicInstant) { self.begun = begun }
}

/// The peer and the times of a connection. Calls keep it after the end of the connection.
package final class ConnectionRecord: Sendable {
    package let peer: String
    let times: ConnectionTimes

    package init(peer: String, _ times: ConnectionTimes) {
        self.peer = peer
        self.times = times
    }
}
