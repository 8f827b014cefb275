import SwiftletMessages
import Testing

/// A nested message is written before its length is known.
@Suite("The length of a nested message")
struct LengthTests {
    struct Node: Message {
        var text = ""
        var data: [UInt8] = []
        @Indirect var child: Node?
        var numbers: [UInt64] = []
        var tail: [UInt8] = []
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.string(1, \.text)
            field.bytes(2, \.data)
            field.message(3, \._child)
            field.uint64(4, \.numbers)
            field.bytes(5, \.tail)
        }
    }

    /// The encoding of a length-delimited field, put together from the inside to the outside.
    private func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        content.isEmpty ? [] : [number << 3 | 2] + rawVarint(content.count) + content
    }

    private func reference(_ node: Node) -> [UInt8] {
        field(1, Array(node.text.utf8)) + field(2, node.data)
            + (node.child.map { [3 << 3 | 2] + rawVarint(reference($0).count) + reference($0) }
                ?? [])
            + field(4, node.numbers.flatMap { rawVarint(Int($0)) }) + field(5, node.tail)
    }

    private func node(_ size: Int, child: Node? = nil) -> Node {
        .with {
            $0.text = String(repeating: "t", count: size / 3)
            $0.data = [UInt8](repeating: 1, count: size / 3)
            $0.child = child
            $0.numbers = (0..<size / 7).map { UInt64($0 * 131) }
            $0.tail = [UInt8](repeating: 2, count: size)
        }
    }

    static let sizes = [0, 1, 60, 100, 126, 127, 128, 300, 16_000, 16_384, 70_000]

    @Test("has as many bytes as it needs, in reused and in new memory", arguments: sizes)
    func lengths(size: Int) throws {
        var kept: [UInt8] = []
        var buffer = EncodingBuffer()
        for inner in Self.sizes {
            let message = node(1, child: node(size, child: node(inner)))
            let expected = reference(message)
            #expect(message.encoded() == expected)
            kept.removeAll(keepingCapacity: true)
            message.encode(appendingTo: &kept)
            #expect(kept == expected)
            buffer.encode(message)
            #expect(buffer.bytes == expected)
            #expect(try Node(decoding: expected) == message)
        }
    }

    @Test(
        "is right at each border where it needs one more byte",
        arguments: [0x80, 0x4000, 0x20_0000])
    func borders(border: Int) throws {
        for size in border - 8...border + 4 {
            for text in ["", "t"] {
                let inner = Node.with {
                    $0.text = text
                    $0.data = [UInt8](repeating: 1, count: size)
                }
                let message = node(0, child: inner)
                #expect(message.encoded() == reference(message))
            }
        }
    }

    @Test("counts the bytes that are not copied", arguments: [1, 100, 128, 16_000])
    func separate(minByteCount: Int) throws {
        for size in Self.sizes {
            let message = node(200, child: node(size, child: node(128)))
            var bytes: [UInt8] = [9, 9]
            var separate = SeparateBytes(minByteCount: minByteCount)
            message.encode(
                appendingTo: &bytes, reservingPrefix: 5, separating: &separate,
                options: EncodingOptions())
            let parts = separate.parts(between: bytes)
            #expect(Array(parts.joined()) == [9, 9, 0, 0, 0, 0, 0] + reference(message))
        }
    }

    @Test("is right whatever the capacity of the array")
    func capacity() {
        for capacity in 0..<200 {
            let message = node(60)
            var bytes: [UInt8] = [7]
            bytes.reserveCapacity(capacity)
            message.encode(appendingTo: &bytes)
            #expect(bytes == [7] + reference(message))
        }
    }

    @Test(
        "is right when a large field comes first, alone or before others",
        arguments: [127, 128, 129, 16_300, 16_366, 16_367, 16_368, 16_380, 16_383, 16_384])
    func largeFieldFirst(size: Int) {
        for tail in [0, 1, 127, 128, 17_000] {
            let inner = Node.with {
                $0.data = [UInt8](repeating: 1, count: size)
                $0.tail = [UInt8](repeating: 2, count: tail)
            }
            for message in [inner, .with { $0.child = inner }, node(size, child: inner)] {
                #expect(message.encoded() == reference(message))
            }
        }
    }
}
