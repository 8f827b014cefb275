/// Counts of traffic, for tests of servers. The engine itself does not use them.
package struct TrafficCounts: Sendable, Equatable {
    /// PINGs of the peer that need an answer.
    package internal(set) var pings = 0
    /// PINGs that this side sent.
    package internal(set) var sentPings = 0
    package internal(set) var goAways = 0
    /// Streams that the peer reset before both sides had ended.
    package internal(set) var resets = 0
    package internal(set) var dataFrames = 0
    /// Bytes of padding in DATA, pad lengths included.
    package internal(set) var paddingBytes = 0

    package init() {}

    package static func += (total: inout TrafficCounts, more: TrafficCounts) {
        total.pings &+= more.pings
        total.sentPings &+= more.sentPings
        total.goAways &+= more.goAways
        total.resets &+= more.resets
        total.dataFrames &+= more.dataFrames
        total.paddingBytes &+= more.paddingBytes
    }
}
