import SwiftletMessages
import Testing

@Suite("A buffer for encoded messages")
struct EncodingBufferTests {
    private static func message(_ byteCount: Int) -> LengthTests.Node {
        .with { $0.data = [UInt8](repeating: UInt8(byteCount & 0xff), count: byteCount) }
    }

    @Test("is empty before the first message", arguments: [-1, 0, 100])
    func empty(capacity: Int) {
        let buffer = EncodingBuffer(minimumCapacity: capacity)
        #expect(buffer.count == 0)
        #expect(buffer.bytes == [])
        #expect(buffer.withSpan { $0.count } == 0)
    }

    @Test("contains the last message alone, whatever the sizes are")
    func last() {
        var buffer = EncodingBuffer()
        for byteCount in [0, 3, 1, 0, 15, 16, 17, 100_000, 5, 0, 300_000, 299_999] {
            let message = Self.message(byteCount)
            buffer.encode(message)
            let expected = message.encoded()
            #expect(buffer.count == expected.count)
            #expect(buffer.bytes == expected)
            #expect(buffer.withSpan { span in span.indices.map { span[$0] } } == expected)
        }
    }

    @Test("needs no new memory for a message of its minimum capacity")
    func minimumCapacity() {
        let message = Self.message(1_000)
        func address(_ buffer: borrowing EncodingBuffer) -> UInt {
            buffer.withSpan { span in
                unsafe span.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }
        }
        var buffer = EncodingBuffer(minimumCapacity: message.encoded().count)
        buffer.encode(Self.message(1))
        let before = address(buffer)
        buffer.encode(message)
        #expect(address(buffer) == before)
        #expect(buffer.bytes == message.encoded())
    }

    @Test("throws the error of the function that reads it")
    func throwing() {
        struct Full: Error {}
        var buffer = EncodingBuffer()
        buffer.encode(Self.message(1))
        #expect(throws: Full.self) { try buffer.withSpan { _ in throw Full() } }
        #expect(buffer.bytes == Self.message(1).encoded())
    }

    @Test("obeys the options")
    func options() throws {
        var buffer = EncodingBuffer()
        let message = try LengthTests.Node(decoding: [0x78, 1, 0x0a, 1, 0x61])
        buffer.encode(message)
        #expect(buffer.bytes == [0x0a, 1, 0x61, 0x78, 1])
        buffer.encode(message, options: EncodingOptions(keepsUnknownFields: false))
        #expect(buffer.bytes == [0x0a, 1, 0x61])
    }
}
