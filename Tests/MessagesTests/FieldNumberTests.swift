import SwiftletMessages
import Testing

@Suite("A field's number")
struct FieldNumberTests {
    struct Greatest: Message {
        var value: Int32 = 0
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1 << 29 - 1, \.value)
        }
    }

    struct Zero: Message {
        var value: Int32 = 0
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(0, \.value)
        }
    }

    struct TooLarge: Message {
        var value: Int32 = 0
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1 << 29, \.value)
        }
    }

    struct Twice: Message {
        var first: Int32 = 0
        var second = ""
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.int32(1, \.first)
            field.string(1, \.second)
        }
    }

    @Test("has at most 29 bits")
    func legal() throws {
        let bytes = Greatest.with { $0.value = 1 }.encoded()
        #expect(bytes == [0xf8, 0xff, 0xff, 0xff, 0x0f, 1])
        #expect(try Greatest(decoding: bytes).value == 1)
    }

    @Test("outside of that range, or listed twice, stops the program at the type's first use")
    func illegal() async throws {
        let zero = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Zero().encoded() }
        let tooLarge = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = try TooLarge(decoding: []) }
        let twice = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = Twice() == Twice() }
        for (result, words) in [
            (zero, "Zero lists field number 0, which is not legal"),
            (tooLarge, "TooLarge lists field number 536870912, which is not legal"),
            (twice, "Twice lists field number 1 twice"),
        ] {
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains(words), "\(text)")
        }
    }
}
