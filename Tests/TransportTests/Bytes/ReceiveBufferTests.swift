import Testing

@testable import SwiftletTransport

@Suite("A receive buffer")
struct SocketsReceiveBufferTests {
    @Test("returns its bytes in order, under any pattern of filling and consuming")
    func order() {
        var generator = SplitMix64(seed: 9_113)
        var buffer = ReceiveBuffer(initialByteCount: 16, maximumByteCount: 100)
        var written = 0
        var readCount = 0
        for _ in 0..<20_000 {
            let wanted = Int.random(in: 0...40, using: &generator)
            let bytes = (0..<wanted).map { UInt8(truncatingIfNeeded: written + $0) }
            let taken = buffer.append(copying: bytes.span)
            #expect(taken <= wanted)
            #expect(taken == wanted || buffer.isFull)
            written += taken

            let used = Int.random(in: 0...buffer.count, using: &generator)
            let first = buffer.withUnread { $0.isEmpty ? nil : $0[0] }
            #expect(first == (buffer.isEmpty ? nil : UInt8(truncatingIfNeeded: readCount)))
            let expected = (0..<used).map { UInt8(truncatingIfNeeded: readCount + $0) }
            let part = buffer.withUnread { [UInt8](copying: $0.extracting(0..<used)) }
            #expect(part == expected)
            buffer.consume(used)
            readCount += used
            if generator.next() % 50 == 0 { buffer.shrink() }
            #expect(buffer.count == written - readCount)
            #expect(buffer.bytes.count <= 100)
        }
    }

    @Test("grows when it was filled to the last byte, and shrinks when it is asked to")
    func growth() {
        var buffer = ReceiveBuffer(initialByteCount: 10, maximumByteCount: 35)
        #expect(buffer.append(copying: [UInt8](0..<10).span) == 10)
        #expect(buffer.bytes.count == 10)
        #expect(buffer.append(copying: [UInt8](10..<50).span) == 25)
        #expect(buffer.bytes.count == 35)
        #expect(buffer.isFull == true)
        buffer.consume(30)
        buffer.shrink()
        #expect(buffer.bytes.count == 10)
        #expect(buffer.withUnread { [UInt8](copying: $0) } == [30, 31, 32, 33, 34])
    }

    @Test("takes earlier bytes back, and keeps the memory that it has")
    func prepending() {
        var buffer = ReceiveBuffer(initialByteCount: 10, maximumByteCount: 40)
        buffer.prepend([1, 2])
        #expect(buffer.bytes.count == 10)
        #expect(buffer.append(copying: [UInt8](3..<41).span) == 38)
        #expect(buffer.bytes.count == 40)
        buffer.consume(30)
        buffer.prepend([UInt8](11...30))
        #expect(buffer.withUnread { [UInt8](copying: $0) } == [UInt8](11...40))
        #expect(buffer.bytes.count == 40)
        // With more bytes than its maximum, it grows to hold them.
        buffer.prepend([UInt8](0...10) + [UInt8](0...10))
        #expect(
            buffer.withUnread { [UInt8](copying: $0) }
                == [UInt8](0...10) + [UInt8](0...10) + [UInt8](11...40))
        #expect(buffer.bytes.count == 52)
    }

    @Test("that is full reads nothing, and reports it")
    func full() throws {
        try Socket.withPair { left, right in
            var right = right
            try right.sendAll([1, 2, 3, 4, 5])
            var buffer = ReceiveBuffer(initialByteCount: 2, maximumByteCount: 4)
            #expect(try buffer.read(from: left) == .bytes(2))
            #expect(try buffer.read(from: left) == .bytes(2))
            #expect(try buffer.read(from: left) == .bufferFull)
            buffer.consume(3)
            #expect(try buffer.read(from: left) == .bytes(1))
            #expect(buffer.wasFilled == false, "so there is no more")
            #expect(try buffer.read(from: left) == .wouldBlock)
            #expect(buffer.withUnread { [UInt8](copying: $0) } == [4, 5])
        }
    }
}
