import SwiftletMessages
import SwiftletWellKnown
import Testing

@Suite("An optional message")
struct PresenceTests {
    /// All bits of its numbers are values, so that an optional of it has a byte of its own.
    struct Number: DropsUnknownFields {
        var value: UInt64 = 0

        static let layout = Layout<Self> { field in field.fixed64(1, \.value) }
    }

    struct Holder: Message {
        var first: Number?
        var text: Google.Protobuf.StringValue?
        var second: Number?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.message(1, \.first)
            field.message(2, \.text)
            field.message(3, \.second)
        }
    }

    @Test("is there when its field arrives, however its type stores that")
    func arrives() throws {
        #expect(MemoryLayout<Number?>.size == MemoryLayout<Number>.size + 1)
        let holder = try Holder(decoding: [0x0a, 0, 0x12, 0])
        #expect(holder.first == Number() && holder.text == .init() && holder.second == nil)
        #expect(holder.encoded() == [0x0a, 0, 0x12, 0])
        let full = Holder.with { $0.second = .with { $0.value = .max } }
        #expect(full.encoded() == [0x1a, 9, 9] + [UInt8](repeating: 0xff, count: 8))
        #expect(try Holder(decoding: full.encoded()) == full)
        #expect(full != holder)
    }

    @Test("is merged with what arrives later")
    func merges() throws {
        let holder = try Holder(decoding: [0x0a, 9, 9, 7, 0, 0, 0, 0, 0, 0, 0, 0x0a, 0])
        #expect(holder.first == .with { $0.value = 7 })
    }
}
