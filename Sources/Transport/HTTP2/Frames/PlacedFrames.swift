/// DATA frames whose content is read directly into its message, and not into the receive buffer.
///
/// A large message usually arrives in DATA frames of one size. When the first one has begun, the places of
/// the following ones are known before they arrive. One read appends their content to the message, and puts
/// their headers into a separate buffer. The headers are then compared with the expected headers. Unexpected
/// bytes are moved to the receive buffer.
package struct PlacedFrames: Sendable {
    /// The frame that is arriving. The following frames are expected to have the same header.
    let header: FrameHeader
    /// Bytes of the frame's content that have not arrived.
    package private(set) var frameRest: Int
    /// Bytes of the message that have not arrived, including those of the frame.
    private(set) var messageRest: Int
    /// The length of the frame. The last frame of a message may be shorter.
    private var frameByteCount: Int

    /// A part of the bytes of a read, and its place.
    enum Piece: Equatable, Sendable {
        /// The range in the headers.
        case header(Range<Int>)
        /// The range in the content.
        case content(Range<Int>)

        var byteCount: Int {
            switch self {
            case .header(let range), .content(let range): range.count
            }
        }
    }

    /// - Parameters:
    ///   - header: The header of a frame that has begun to arrive.
    ///   - arrived: Bytes of the frame's content that have arrived.
    ///   - messageRest: Bytes of the message that have not arrived, including the rest of this frame. All
    ///     content of the frame must belong to the message.
    package init(_ header: FrameHeader, arrived: Int, messageRest: Int) {
        precondition((0...header.payloadByteCount).contains(arrived))
        precondition(messageRest >= header.payloadByteCount - arrived)
        self.header = header
        frameByteCount = header.payloadByteCount
        frameRest = frameByteCount - arrived
        self.messageRest = messageRest
    }

    package var isComplete: Bool { messageRest == 0 }

    /// Drops the message, and reads only the frame to its end.
    package mutating func dropMessage() { messageRest = frameRest }
}

extension PlacedFrames {
    /// The most frames that are expected in one read. With their headers, they fit one system call.
    package static let expectedFrameLimit = 31

    /// The places of the next bytes: the rest of this frame, and `frameCount` frames like it,
    /// within `room`.
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
        /// Whether the last piece ends a frame, so that a header follows.
        var endsWithFrame = true

        /// Appends content. Returns false when there is not enough room.
        mutating func append(content count: Int, room: Int) -> Bool {
            let end = min(contentByteCount + count, room)
            endsWithFrame = end == contentByteCount + count
            if end > contentByteCount { pieces.append(.content(contentByteCount..<end)) }
            byteCount += end - contentByteCount
            contentByteCount = end
            return endsWithFrame
        }

        /// How many of the first bytes are content.
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

    /// The result of a read.
    package struct Arrived {
        /// Bytes of content that arrived as expected.
        package fileprivate(set) var contentByteCount = 0
        /// The lengths of the frames that became complete.
        package fileprivate(set) var wholeFrames: [Int] = []
        /// Unexpected bytes that followed the content.
        package fileprivate(set) var stray: [UInt8] = []

        package init() {}
    }

    /// Compares the headers of a read with the expected ones, and counts its content.
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
                    arrived.stray = Self.bytes(
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

    /// Whether the next frame is the expected one. The last frame ends together with the message.
    package func isNext(_ next: FrameHeader?) -> Bool {
        frameRest == 0
            && next
                == expectedHeader(
                    payloadByteCount: min(header.payloadByteCount, messageRest))
    }

    /// This frame's header with another length.
    package func expectedHeader(payloadByteCount: Int) -> FrameHeader {
        var expected = header
        expected.payloadByteCount = payloadByteCount
        return expected
    }

    private static func bytes(
        of pieces: ArraySlice<Piece>, _ byteCount: Int, headers: Span<UInt8>,
        content: Span<UInt8>
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        var left = byteCount
        for piece in pieces where left > 0 {
            let count = min(left, piece.byteCount)
            switch piece {
            case .header(let range):
                bytes.append(copying: headers.extracting(range.prefix(count)))
            case .content(let range):
                bytes.append(copying: content.extracting(range.prefix(count)))
            }
            left -= count
        }
        return bytes
    }
}
