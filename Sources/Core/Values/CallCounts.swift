/// How many calls were made, and how they ended.
///
/// Each attempt of a call that is retried or hedged counts. The channel's own streams, which check
/// the health of servers and receive their load, count too.
public struct CallCounts: Hashable, Sendable {
    /// Calls that were sent to a server, or failed before that.
    public var started = 0
    /// Calls that ended with OK.
    public var succeeded = 0
    /// Calls that ended with another status.
    public var failed = 0

    /// No calls.
    public init() {}

    /// Calls that have not ended.
    public var running: Int { started - succeeded - failed }
}

extension CallCounts {
    static func += (total: inout CallCounts, more: CallCounts) {
        total.started &+= more.started
        total.succeeded &+= more.succeeded
        total.failed &+= more.failed
    }
}

extension CallCounts: CustomStringConvertible {
    public var description: String {
        "\(started) calls: \(succeeded) succeeded, \(failed) failed, \(running) running"
    }
}
