/// The identifiers that a client has skipped. When the client uses a higher identifier, they become closed
/// (RFC 9113 §5.1.1). So a request on one of them is not late: its identifier is illegal.
///
/// Clients usually skip none. Only the newest ranges are remembered. A request on an older one is treated as
/// a request on a closed stream.
struct SkippedStreams: Sendable {
    private var ranges: [Range<UInt32>] = []
}

extension SkippedStreams {
    var rangeCount: Int { ranges.count }

    /// Notes that the client opens stream `id`, and that `last` was the highest until now.
    mutating func note(_ id: StreamID, after last: StreamID) {
        let next = last == .connection ? StreamID.firstRequest.rawValue : last.rawValue + 2
        guard next < id.rawValue else { return }
        if ranges.count == Limits.skippedRangeCount { ranges.removeFirst() }
        ranges.append(next..<id.rawValue)
    }

    func contains(_ id: StreamID) -> Bool { ranges.contains { $0.contains(id.rawValue) } }
}
