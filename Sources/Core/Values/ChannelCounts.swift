import SwiftletTransport

/// Counts of events on all connections of a channel, including closed ones. They show server
/// behavior that the calls themselves do not show. A count that overflows starts again at 0.
package struct ChannelCounts: Equatable, Sendable {
    package var connectionCount = 0
    /// The streams of the connections, and how they ended.
    package var calls = CallCounts()
    /// PINGs that asked for an answer.
    package private(set) var pingCount = 0
    package private(set) var goAwayCount = 0
    /// Streams that servers reset before the streams had ended.
    package private(set) var resetCount = 0
    package private(set) var dataFrameCount = 0
    /// Bytes of padding in DATA, Pad Length bytes included.
    package private(set) var paddingByteCount = 0
    /// The lowest SETTINGS_MAX_CONCURRENT_STREAMS of all connections; nil if no server sent one.
    package private(set) var streamLimit: Int?
    /// The most streams that were open at once on a connection.
    package private(set) var mostStreamCount = 0

    package init() {}
}

extension ChannelCounts {
    init(_ connection: borrowing Connection) {
        connectionCount = 1
        pingCount = connection.counts.pings
        goAwayCount = connection.counts.goAways
        resetCount = connection.counts.resets
        dataFrameCount = connection.counts.dataFrames
        paddingByteCount = connection.counts.paddingBytes
        streamLimit = connection.peerStreamLimit
        mostStreamCount = connection.mostStreamCount
    }

    static func += (total: inout ChannelCounts, more: ChannelCounts) {
        total.connectionCount &+= more.connectionCount
        total.calls += more.calls
        total.pingCount &+= more.pingCount
        total.goAwayCount &+= more.goAwayCount
        total.resetCount &+= more.resetCount
        total.dataFrameCount &+= more.dataFrameCount
        total.paddingByteCount &+= more.paddingByteCount
        total.streamLimit = [total.streamLimit, more.streamLimit].compactMap(\.self).min()
        total.mostStreamCount = max(total.mostStreamCount, more.mostStreamCount)
    }
}
