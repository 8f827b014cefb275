import Testing

@testable import SwiftletTransport

@Suite("Frames whose content is read directly to its place")
struct PlacedFramesTests {
    /// The bytes that a server sends after the header of the first frame.
    private struct Row {
        let header: FrameHeader
        let messageByteCount: Int
        private(set) var wire: [UInt8] = []
        /// The number of bytes of the message that are in frames like the first.
        private(set) var likeTheFirst = 0

        /// - Parameter oddFrame: The index of the frame whose flags differ from those of the first. No
        ///   frame differs if there are fewer frames.
        init(frame: Int, message: Int, oddFrame: Int) {
            header = FrameHeader(
                type: .data, streamID: StreamID(wire: 5), payloadByteCount: frame)
            messageByteCount = message
            var left = message
            var index = 0
            while left > 0 {
                let count = min(frame, left)
                var ownHeader = header
                ownHeader.payloadByteCount = count
                if index == oddFrame { ownHeader.flags = .endStream }
                if index > 0 { ownHeader.encode(into: &wire) }
                wire += (0..<count).map { _ in UInt8.random(in: 0...255) }
                if index < oddFrame { likeTheFirst += count }
                left -= count
                index += 1
            }
            wire += (0..<Int.random(in: 0...40)).map { UInt8($0) }
        }

        /// The bytes on the wire, built again from the placed `message`: the frames that contained it.
        func bytes(of message: [UInt8], _ frames: PlacedFrames) -> [UInt8] {
            var bytes: [UInt8] = []
            var start = 0
            repeat {
                let count = min(header.payloadByteCount, messageByteCount - start)
                if start > 0 {
                    frames.expectedHeader(payloadByteCount: count).encode(into: &bytes)
                }
                bytes += message[start..<min(start + count, message.count)]
                start += count
                // The header of the last frame may have arrived without any of its content.
            } while start < message.count || (start == message.count && frames.frameRest > 0)
            return bytes
        }
    }

    @Test("equal the frames that a reader of all bytes finds", arguments: 0..<60)
    func random(_ round: Int) throws {
        let frame = Int.random(in: 1...300)
        let row = Row(
            frame: frame, message: Int.random(in: frame...frame * 40),
            oddFrame: Int.random(in: 1...60))
        try Socket.withPair { near, far in try compare(row, near, far) }
    }

    private func compare(
        _ row: Row, _ near: consuming Socket, _ far: consuming Socket
    ) throws {
        var frames = PlacedFrames(row.header, arrived: 0, messageRest: row.messageByteCount)
        var buffer = ReceiveBuffer(maximumByteCount: 1 << 20)
        var message: [UInt8] = []
        var whole: [Int] = []
        var sent = 0
        while sent < row.wire.count, buffer.isEmpty, !frames.isComplete {
            let part = Int.random(in: 1...min(2_000, row.wire.count - sent))
            try far.sendAll(Array(row.wire[sent..<sent + part]))
            sent += part
            message.reserveCapacity(message.count + Int.random(in: 1...500))
            var isEmpty = false
            while !isEmpty, buffer.isEmpty, !frames.isComplete {
                message.reserveCapacity(message.count + 1)
                let read = try frames.read(
                    from: near, expecting: Int.random(in: 1...31),
                    into: &message, &buffer)
                let outcome = try #require(read)
                whole += outcome.arrived.wholeFrames
                isEmpty = outcome.socket == .wouldBlock
            }
        }
        try far.sendAll(Array(row.wire[sent...]))
        discardSocket(far)
        let rest = try near.readAll(.max)

        let others = buffer.withUnread { [UInt8](copying: $0) } + rest
        let isEqual = row.bytes(of: message, frames) + others == row.wire
        #expect(isEqual)
        #expect(message.count <= row.likeTheFirst)
        #expect(whole.reduce(0, +) <= message.count)
        #expect(frames.isComplete == (message.count == row.messageByteCount))
    }

    @Test("drop a message at the end of the frame when it is not needed")
    func givenUp() throws {
        let header = FrameHeader(
            type: .data, streamID: StreamID(wire: 1), payloadByteCount: 10)
        var frames = PlacedFrames(header, arrived: 4, messageRest: 100)
        frames.dropMessage()
        #expect(frames.frameRest == 6)
        #expect(frames.messageRest == 6)
        var message: [UInt8] = []
        message.reserveCapacity(100)
        var buffer = ReceiveBuffer()
        let read = try Socket.withPair { near, far in
            var far = far
            try far.sendAll([1, 2, 3, 4, 5, 6, 7, 8])
            return try frames.read(from: near, expecting: 31, into: &message, &buffer)
        }
        #expect(read?.arrived.wholeFrames == [10])
        #expect(message == [1, 2, 3, 4, 5, 6])
        #expect(buffer.withUnread { [UInt8](copying: $0) } == [7, 8])
    }

    @Test("read no header when there is no room for its content")
    func noRoom() {
        let header = FrameHeader(
            type: .data, streamID: StreamID(wire: 1), payloadByteCount: 10)
        let frames = PlacedFrames(header, arrived: 0, messageRest: 100)
        #expect(frames.plan(expecting: 5, room: 10).pieces == [.content(0..<10)])
        #expect(frames.plan(expecting: 5, room: 20).byteCount == 29)
        #expect(
            frames.plan(expecting: 5, room: 11).pieces == [
                .content(0..<10), .header(0..<9), .content(10..<11),
            ])
    }

    @Test("count the content among the first N bytes, without the frame headers")
    func contentOfFirstBytes() {
        let header = FrameHeader(
            type: .data, streamID: StreamID(wire: 1), payloadByteCount: 10)
        let plan = PlacedFrames(header, arrived: 6, messageRest: 24).plan(expecting: 2, room: 100)
        // 4 bytes of content, and twice a header of 9 bytes with 10 bytes of content.
        #expect(
            [0, 3, 4, 13, 18, 23, 33, 42].map(plan.contentByteCount(ofFirst:))
                == [0, 3, 4, 4, 9, 14, 15, 24])
    }

    @Test("report the end of the stream")
    func ended() throws {
        let header = FrameHeader(
            type: .data, streamID: StreamID(wire: 1), payloadByteCount: 10)
        var frames = PlacedFrames(header, arrived: 4, messageRest: 100)
        var message: [UInt8] = []
        message.reserveCapacity(100)
        var full: [UInt8] = []
        var buffer = ReceiveBuffer()
        try Socket.withPair { near, far in
            discardSocket(far)
            let read = try frames.read(from: near, expecting: 31, into: &message, &buffer)
            #expect(read?.socket == .endOfStream)
            // If there is no room, no bytes are read.
            #expect(try frames.read(from: near, expecting: 31, into: &full, &buffer) == nil)
        }
        #expect(message.isEmpty)
    }
}
