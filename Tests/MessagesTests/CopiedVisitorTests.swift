import SwiftletMessages
import Testing

@Suite("A copy of a visitor")
struct CopiedVisitorTests {
    /// Visits its children also with copies of the visitor.
    struct Copying: Message {
        var children: [Everything.Child] = []
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.message(1, \.children)
            var first = field
            try first.message(2, \.children)
            var second = field
            try second.message(2, \.children)
            field.message(2, \.children)
        }
    }

    @Test("that needs memory for many lengths frees none of the original's")
    func lengths() {
        let message = Copying.with {
            $0.children = (0..<200).map { index in .with { $0.id = Int32(index + 1) } }
        }
        let expected = (1...2).flatMap { number in
            (1...200).flatMap { id in
                let varint: [UInt8] =
                    id < 128 ? [UInt8(id)] : [UInt8(id & 0x7f | 0x80), UInt8(id >> 7)]
                return [UInt8(number << 3 | 2), UInt8(1 + varint.count), 8] + varint
            }
        }
        for _ in 0..<50 { #expect(message.encoded() == expected) }
    }
}
