import SwiftletTransport

/// The events of one read. They are recorded under the link's lock and delivered outside it.
struct LinkArrivals {
    /// An event of a call or of the connection.
    struct Arrival {
        var call: CallCore?
        var stream: StreamHandle?
        var content = CallArrival()
        var signal: Signal?
    }

    /// An event without content.
    enum Signal {
        /// The server did not process the call's stream.
        case unprocessed
        /// The server refused the call's stream.
        case refused
        /// Nothing of the call was sent.
        case unsent
        case ready
        // Indirect, because they are rare and large.
        indirect case goAway(GoAwayFrame)
        indirect case ended(LinkError)
    }

    private(set) var list: [Arrival] = []
    /// Ranges of the bytes that were read.
    private(set) var pieces: [Range<Int>] = []
}

extension LinkArrivals {
    mutating func append(_ signal: Signal, for call: CallCore? = nil) {
        list.append(Arrival(call: call, signal: signal))
    }

    mutating func append(
        initial: consuming ResponseHead.Initial, on stream: StreamHandle,
        for call: consuming CallCore
    ) {
        list.append(Arrival(call: consume call, stream: stream))
        // Set in the list: the compiler would copy a complete arrival into the list.
        list[list.count - 1].content.initial = initial
    }

    /// Consecutive events of one stream become one arrival.
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

    /// Appends the end of a call, which is the last event of its stream.
    mutating func append(
        end: consuming ResponseEnd, on stream: StreamHandle, for call: consuming CallCore
    ) {
        if !isLast(stream) { list.append(Arrival(call: consume call, stream: stream)) }
        list[list.count - 1].content.end = end
    }

    private func isLast(_ stream: StreamHandle) -> Bool {
        guard !list.isEmpty, let last = list[list.count - 1].stream else { return false }
        return last == stream
    }

    /// Larger pieces of messages are worth a read of their own.
    private static let smallPieceByteCount = 4 << 10

    /// How many answers have arrived, and how many were expected, for ``AnswerGathering``.
    ///
    /// If each running call only receives messages, each piece of one is an answer.
    ///
    /// - Parameters:
    ///   - callCount: The running calls before the read.
    ///   - hasSentEnd: Whether the request of an open stream is complete.
    func answerCounts(
        callCount: Int, hasSentEnd: (StreamHandle) -> Bool
    ) -> (answerCount: Int, expectedCount: Int) {
        guard callCount > 0, callCount < AnswerGathering.minExpectedCount, list.count == callCount,
            list.allSatisfy({ $0.content.end == nil && $0.stream.map(hasSentEnd) ?? false }),
            pieces.allSatisfy({ $0.count <= Self.smallPieceByteCount })
        else { return (list.count, callCount) }
        return (pieces.count, AnswerGathering.endless)
    }

    /// Moves the arrivals out, and back after they were delivered, so that their memory is reused.
    mutating func swapList(with other: inout [Arrival]) { swap(&list, &other) }

    /// Frees the memory of a burst, so that an idle connection does not keep it.
    mutating func removeAll() {
        list.removeAll(keepingCapacity: list.capacity <= Self.keptCount)
        pieces.removeAll(keepingCapacity: pieces.capacity <= Self.keptCount)
    }

    private static let keptCount = 1_024
}
