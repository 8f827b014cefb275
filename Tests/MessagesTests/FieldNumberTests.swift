import SwiftletMessages
import Testing

@Suite("A field's number")
struct FieldNumberTests {
    /// Uses `number` as its field number if set. A new message has none, and passes the check.
    struct One: Message {
        var number: UInt32?
        var value: Int32 = 0
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(number ?? 1, \.value)
        }
    }

    @Test("is at least 1 and has at most 29 bits")
    func legal() throws {
        #expect(One.with { $0.value = 1 }.encoded() == [8, 1])
        let greatest = One.with { ($0.number, $0.value) = (1 << 29 - 1, 1) }
        #expect(greatest.encoded() == [0xf8, 0xff, 0xff, 0xff, 0x0f, 1])
    }

    @Test("outside of that range stops the program with an error text")
    func illegal() async throws {
        let zero = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = One.with { ($0.number, $0.value) = (0, 1) }.encoded() }
        let tooLarge = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = One.with { ($0.number, $0.value) = (1 << 29, 1) }.encoded() }
        for result in [zero, tooLarge] {
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("is not legal: field numbers are 1...536870911"), "\(text)")
        }
    }
}
