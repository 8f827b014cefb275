/// DATA frames whose content is read to where it belongs, and not into the buffer that everything
/// else arrives in.
///
/// A large message comes as a row of DATA frames of one size. Once the first of them has begun, it
/// is known where the content of the others belongs before they arrive: one read puts it behind
/// the message that has begun, and the frames' headers aside, where they are compared with what
/// was expected. What comes otherwise is put into the receive buffer, as if it had been read there.
package struct PlacedFrames: Sendable {
    /// The frame that is arriving. Those behind it are expected to be like it.
    package let header: FrameHeader
    /// Octets of the frame's content that have yet to come.
    package private(set) var frameRest: Int
    /// Octets of the message that have yet to come, those of the frame included.
    package private(set) var messageRest: Int
    /// How long the frame is: the last of a message may be shorter than those before it.
    private var frameByteCount: Int

    /// Where octets go that come one behind the other.
    enum Piece: Hashable, Sendable {
        /// This range of the headers.
        case header(Range<Int>)
        /// This range of what is appended to the message.
        case content(Range<Int>)

        var byteCount: Int {
            switch self {
            case .header(let range), .content(let range): range.count
            }
        }
    }

    /// - Parameters:
    ///   - header: Of a frame that has begun to arrive.
    ///   - arrived: Octets of its content that have come already.
    ///   - messageRest: Octets of the message that have yet to come behind those. The frame holds
    ///     nothing behind the message.
    package init(_ header: FrameHeader, arrived: Int, messageRest: Int) {
        precondition((0...header.payloadByteCount).contains(arrived))
        precondition(messageRest >= header.payloadByteCount - arrived)
        self.header = header
        frameByteCount = header.payloadByteCount
        frameRest = frameByteCount - arrived
        self.messageRest = messageRest
    }

    package var isComplete: Bool { messageRest == 0 }

    /// Nobody wants the message any more: only the frame is read to its end.
    package mutating func giveUpMessage() { messageRest = frameRest }
}

extension PlacedFrames {
    /// The most frames that are expected in one read. With their headers they stay within one
    /// vector of the system.
    package static let expectedFrameLimit = 31

    /// Where the next octets go: the rest of this frame, and so many like it, as far as there is
    /// room.
    func plan(expecting frameCount: Int, room: Int) -> Plan {
        var plan = Plan()
        plan.pieces.reserveCapacity(1 + 2 * frameCount)
        guard plan.append(content: frameRest, room: room) else { return plan }
        for index in 0..<min(frameCount, Self.expectedFrameLimit) {
            let count = min(header.payloadByteCount, messageRest - plan.contentByteCount)
            guard count > 0, plan.contentByteCount < room else { break }
            let start = index * FrameHeader.byteCount
            plan.pieces.append(.header(start..<start + FrameHeader.byteCount))
            plan.byteCount += FrameHeader.byteCount
            guard plan.append(content: count, room: room) else { break }
        }
        return plan
    }

    struct Plan {
        var pieces: [Piece] = []
        var byteCount = 0
        var contentByteCount = 0
        /// Whether the last piece is the end of a frame, so that what follows begins with a header.
        var endsWithFrame = true

        /// False when there is no room for all of it.
        mutating func append(content count: Int, room: Int) -> Bool {
            let end = min(contentByteCount + count, room)
            endsWithFrame = end == contentByteCount + count
            if end > contentByteCount { pieces.append(.content(contentByteCount..<end)) }
            byteCount += end - contentByteCount
            contentByteCount = end
            return endsWithFrame
        }

        /// How much of the first octets is content.
        func contentByteCount(ofFirst byteCount: Int) -> Int {
            var left = byteCount
            var sum = 0
            for piece in pieces where left > 0 {
                let count = min(left, piece.byteCount)
                if case .content = piece { sum += count }
                left -= count
            }
            return sum
        }
    }

    /// What a read brought.
    package struct Arrived: Equatable {
        /// Octets of content that came as expected, and belong to the message.
        package var contentByteCount = 0
        /// The lengths of the frames that they made whole.
        package var wholeFrames: [Int] = []
        /// Octets behind them that came otherwise.
        package var stray: [UInt8] = []

        package init() {}
    }

    /// Compares what has come with what was expected.
    ///
    /// - Parameters:
    ///   - byteCount: How much of the pieces was filled.
    ///   - headers: What the ranges of headers refer to.
    ///   - content: What those of content do.
    mutating func take(
        _ plan: Plan, byteCount: Int, headers: Span<UInt8>, content: Span<UInt8>
    ) -> Arrived {
        var arrived = Arrived()
        var left = byteCount
        for (index, piece) in plan.pieces.enumerated() where left > 0 {
            switch piece {
            case .content(let range): take(min(left, range.count), into: &arrived)
            case .header(let range):
                guard left >= range.count,
                    isNext(FrameHeader(decoding: headers, at: range.lowerBound))
                else {
                    arrived.stray = Self.octets(
                        of: plan.pieces[index...], left, headers: headers, content: content)
                    return arrived
                }
                frameByteCount = min(header.payloadByteCount, messageRest)
                frameRest = frameByteCount
            }
            left -= min(left, piece.byteCount)
        }
        return arrived
    }

    private mutating func take(_ count: Int, into arrived: inout Arrived) {
        arrived.contentByteCount += count
        frameRest -= count
        messageRest -= count
        if frameRest == 0 { arrived.wholeFrames.append(frameByteCount) }
    }

    /// Whether the frame that comes next is like this one; the last of the message holds nothing
    /// behind it.
    package func isNext(_ next: FrameHeader?) -> Bool {
        frameRest == 0
            && next
                == expectedHeader(
                    payloadByteCount: min(header.payloadByteCount, messageRest))
    }

    /// This frame's header, with another length.
    package func expectedHeader(payloadByteCount: Int) -> FrameHeader {
        var expected = header
        expected.payloadByteCount = payloadByteCount
        return expected
    }

    private static func octets(
        of pieces: ArraySlice<Piece>, _ byteCount: Int, headers: Span<UInt8>,
        content: Span<UInt8>
    ) -> [UInt8] {
        var octets: [UInt8] = []
        var left = byteCount
        for piece in pieces where left > 0 {
            let count = min(left, piece.byteCount)
            switch piece {
            case .header(let range):
                octets.append(copying: headers.extracting(range.prefix(count)))
            case .content(let range):
                octets.append(copying: content.extracting(range.prefix(count)))
            }
            left -= count
        }
        return octets
    }
}
