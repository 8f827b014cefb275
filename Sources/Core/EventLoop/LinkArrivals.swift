import SwiftletTransport

/// What a read brought, taken down under the link's lock and told after it.
struct LinkArrivals {
    /// Something that concerns a call, or the connection.
    struct Arrival {
        var call: CallCore?
        var stream: StreamHandle?
        var content = CallArrival()
        var news: News?
    }

    enum News {
        /// The server never saw the call's stream.
        case unprocessed
        /// It has refused the stream, and done nothing for it.
        case refused
        /// Nor did anything of it leave.
        case unsent
        case ready
        case goAway(GoAwayFrame)
        case ended(LinkError)
    }

    private(set) var list: [Arrival] = []
    /// Ranges of the octets that were read.
    private(set) var pieces: [Range<Int>] = []
}

extension LinkArrivals {
    mutating func append(_ news: News, for call: CallCore? = nil) {
        list.append(Arrival(call: call, news: news))
    }

    mutating func append(
        initial: consuming ResponseHead.Initial, on stream: StreamHandle,
        for call: consuming CallCore
    ) {
        list.append(Arrival(call: consume call, stream: stream))
        list[list.count - 1].content.initial = initial
    }

    /// What comes of one stream in a row is told as one.
    mutating func append(
        data: Range<Int>, on stream: StreamHandle, for call: @autoclosure () -> CallCore?
    ) {
        if !isLast(stream) { list.append(Arrival(call: call(), stream: stream)) }
        let last = list.count - 1
        if list[last].content.pieces.isEmpty {
            list[last].content.pieces = pieces.count..<pieces.count
        }
        pieces.append(data)
        list[last].content.pieces = list[last].content.pieces.lowerBound..<pieces.count
    }

    /// The end of a call is the last that its stream brings.
    mutating func append(
        end: consuming CallArrival.End, on stream: StreamHandle, for call: consuming CallCore
    ) {
        if !isLast(stream) { list.append(Arrival(call: consume call, stream: stream)) }
        list[list.count - 1].content.end = end
    }

    private func isLast(_ stream: StreamHandle) -> Bool {
        guard !list.isEmpty, let last = list[list.count - 1].stream else { return false }
        return last == stream
    }

    /// Moves the arrivals out, and back when they have been told, to use their memory again.
    mutating func swapList(with other: inout [Arrival]) { swap(&list, &other) }

    /// A burst must not cost an idle connection its memory for ever.
    mutating func removeAll() {
        list.removeAll(keepingCapacity: list.capacity <= Self.keptCount)
        pieces.removeAll(keepingCapacity: pieces.capacity <= Self.keptCount)
    }

    private static let keptCount = 1_024
}
