package import SwiftletTransport

/// Counts of events on all connections of a channel, including closed ones. They show server
/// behavior that the calls themselves do not show. A count that overflows starts again at 0.
package struct ChannelCounts: Equatable, Sendable {
    package var connectionCount = 0
    /// The streams of the connections, and how they ended.
    package var calls = CallCounts()
    package private(set) var traffic = TrafficCounts()
    /// The lowest SETTINGS_MAX_CONCURRENT_STREAMS of all connections; nil if no server sent one.
    package private(set) var streamLimit: Int?
    /// The most streams that were open at once on a connection.
    package private(set) var mostStreamCount = 0

    package init() {}
}

extension ChannelCounts {
    init(_ connection: borrowing Connection) {
        connectionCount = 1
        traffic = connection.counts
        streamLimit = connection.peerStreamLimit
        mostStreamCount = connection.mostStreamCount
    }

    static func += (total: inout ChannelCounts, more: ChannelCounts) {
        total.connectionCount &+= more.connectionCount
        total.calls += more.calls
        total.traffic += more.traffic
        total.streamLimit = [total.streamLimit, more.streamLimit].compactMap(\.self).min()
        total.mostStreamCount = max(total.mostStreamCount, more.mostStreamCount)
    }
}
