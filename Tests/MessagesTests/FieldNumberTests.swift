import SwiftletMessages
import Testing

@Suite("A field's number")
struct FieldNumberTests {
    struct One: Message {
        var number: UInt32 = 1
        var value: Int32 = 1
        var unknownFields = UnknownFields()

        mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int32(number, &value)
        }
    }

    @Test("is 1 at the least, and has 29 bits at the most")
    func legal() throws {
        #expect(One().encoded() == [8, 1])
        let greatest = One.with { $0.number = 1 << 29 - 1 }
        #expect(greatest.encoded() == [0xf8, 0xff, 0xff, 0xff, 0x0f, 1])
    }

    @Test("that no message can have stops the program")
    func illegal() async {
        await #expect(processExitsWith: .failure) {
            _ = One.with { $0.number = 0 }.encoded()
        }
        await #expect(processExitsWith: .failure) {
            _ = One.with { $0.number = 1 << 29 }.encoded()
        }
    }
}
