import SwiftletTransport

/// What a read brought, taken down under the link's lock and told after it.
struct LinkArrivals {
    struct Arrival {
        /// Nil when it concerns the connection.
        var call: CallCore?
        var content: Content
        /// Of DATA: which of ``LinkArrivals/pieces``.
        var pieces = 0..<0
    }

    enum Content {
        case initial(ResponseHead.Initial)
        case data(StreamHandle)
        case trailers(CallEnd)
        case failed(RPCError)
        case unprocessed
        case ready
        case goAway(GoAwayFrame)
        case ended(LinkError)
        case told
    }

    private(set) var list: [Arrival] = []
    /// Ranges of the octets that were read.
    private(set) var pieces: [Range<Int>] = []
    /// Whose DATA came last, with nothing behind it.
    private var dataStream: StreamHandle?
}

extension LinkArrivals {
    mutating func append(_ content: consuming Content, for call: CallCore? = nil) {
        dataStream = nil
        list.append(Arrival(call: call, content: content))
    }

    /// DATA frames of one stream that follow each other are told as one.
    mutating func append(data: Range<Int>, on stream: StreamHandle, for call: CallCore) {
        pieces.append(data)
        if dataStream == stream {
            let last = list.count - 1
            list[last].pieces = list[last].pieces.lowerBound..<pieces.count
        } else {
            dataStream = stream
            list.append(
                Arrival(
                    call: call, content: .data(stream), pieces: pieces.count - 1..<pieces.count))
        }
    }

    /// Whether the arrival behind this one tells the same call something more.
    func isFollowed(_ index: Int) -> Bool {
        guard index + 1 < list.count, let call = list[index].call else { return false }
        return list[index + 1].call === call
    }

    /// Moves an arrival's content out, which may be large.
    mutating func takeContent(of index: Int) -> Content {
        var content = Content.told
        swap(&content, &list[index].content)
        return content
    }

    mutating func removeAll() {
        dataStream = nil
        list.removeAll(keepingCapacity: true)
        pieces.removeAll(keepingCapacity: true)
    }
}
