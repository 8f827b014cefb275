import SwiftletMessages
import Testing

@Suite("The text form of a hostile message")
struct TextCostTests {
    /// `inner` inside `depth` fields of the number `number`, each a message.
    private func nest(_ inner: [UInt8], number: UInt8, depth: Int) -> [UInt8] {
        (0..<depth).reduce(inner) { bytes, _ in
            var count: [UInt8] = []
            var rest = bytes.count
            while rest >= 0x80 {
                count.append(UInt8(rest & 0x7f | 0x80))
                rest >>= 7
            }
            return [number << 3 | 2] + count + [UInt8(rest)] + bytes
        }
    }

    struct Node: Message {
        @Indirect var next: Node?
        var id: Int32 = 0
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.message(1, \._next)
            field.int32(2, \.id)
        }
    }

    @Test("grows by the same size for a field at any depth", arguments: [20, 50, 90])
    func known(depth: Int) throws {
        let few = nest([UInt8](repeating: 0, count: 0), number: 1, depth: depth)
        let many = nest([24, 1, 24, 1, 24, 1, 24, 1], number: 1, depth: depth)
        let fewCount = try Node(decoding: few).debugDescription.utf8.count
        let manyCount = try Node(decoding: many).debugDescription.utf8.count
        #expect(manyCount - fewCount == 4 * (1 + 32 + "3: 1".utf8.count))
    }

    @Test("grows by the same size for an unknown field at any depth", arguments: [20, 90])
    func unknown(depth: Int) throws {
        let start = [UInt8](repeating: 0x2b, count: depth)
        let end = [UInt8](repeating: 0x2c, count: depth)
        let few = try Node(decoding: start + end).debugDescription.utf8.count
        let many = try Node(decoding: start + [24, 1, 24, 1] + end).debugDescription.utf8.count
        #expect(many - few == 2 * (1 + 32 + "3: 1".utf8.count))
    }

    @Test("of unknown fields alone names each by its number")
    func unknownFields() throws {
        let node = try Node(decoding: [24, 7, 34, 1, 0x61])
        #expect("\(node.unknownFields)" == "3: 7\n4: \"a\"")
        #expect("\(UnknownFields())" == "")
    }
}
