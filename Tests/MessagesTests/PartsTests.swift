import SwiftletMessages
import Testing

private struct Watched: Message {
    enum Choice: Equatable {
        indirect case watched(Watched)
    }

    var numbers: [Int32] = []
    @Indirect var wrapped: Watched?
    var plain = Indirect<Watched>()
    var choice: Choice?
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { field in
        field.int32(1, \.numbers)
        field.message(2, \._wrapped)
        field.message(3, \.plain)
        field.oneof(4, \.choice, .message(Watched.self), Choice.watched) {
            if case .watched(let it) = $0 { it } else { nil }
        }
    }

    /// The value of field `number`.
    func field(_ number: UInt8) -> Watched? {
        if case .watched(let it) = choice { return it }
        return number == 2 ? wrapped : plain.wrappedValue
    }
}

@Suite("A message that arrives in parts")
struct PartsTests {
    /// A list that grows in place moves to other memory only a few times. If each part copied the earlier parts, the
    /// list would move at each part.
    @Test("grows in place, for every way to list its field", arguments: [UInt8](2...4))
    func growsInPlace(number: UInt8) throws {
        var message = Watched()
        var moveCount = 0
        var place: UInt = 0
        for _ in 0..<4000 {
            try message.merge(Self.part(number).span)
            let newPlace = unsafe message.field(number)?.numbers.withUnsafeBufferPointer {
                UInt(bitPattern: $0.baseAddress)
            }
            if newPlace != place { moveCount += 1 }
            place = newPlace ?? 0
        }
        #expect(message.field(number)?.numbers.count == 4000)
        #expect(moveCount < 30)
    }

    @Test("is one message, with unknown fields between the parts", arguments: [UInt8](2...4))
    func parts(number: UInt8) throws {
        let bytes = [UInt8](repeatElement(Self.part(number) + [0xd0, 1, 0], count: 1000).joined())
        let message = try Watched(decoding: bytes, options: .init(keepsUnknownFields: false))
        #expect(message.field(number)?.numbers.count == 1000)
    }

    /// Field `number` with one number.
    private static func part(_ number: UInt8) -> [UInt8] { [number << 3 | 2, 2, 8, 1] }
}
