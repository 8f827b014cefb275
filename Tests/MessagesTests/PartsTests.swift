import SwiftletMessages
import Testing

/// Counts how often its list moves to other memory. A list that grows in place moves only a few times. If
/// each part copied the earlier parts, the list would move at each part.
private struct Watched: Message {
    enum Choice: Equatable {
        indirect case watched(Watched)
    }

    var numbers: [Int32] = []
    @Indirect var wrapped: Watched?
    var plain = Indirect<Watched>()
    var choice: Choice?
    var unknownFields = UnknownFields()

    private(set) var moves = 0
    private var place: UInt = 0

    static let layout = Layout<Self> { field in
        field.int32(1, \.numbers)
        field.message(2, \._wrapped)
        field.message(3, \.plain)
        field.oneof(4, \.choice, .message(Watched.self), Choice.watched) {
            if case .watched(let it) = $0 { it } else { nil }
        }
        noteMove()
    }

    /// A `visit` may change other properties only if the message is never encoded.
    private mutating func noteMove() {
        let place = unsafe numbers.withUnsafeBufferPointer {
            UInt(bitPattern: $0.baseAddress)
        }
        if place != self.place { moves += 1 }
        self.place = place
    }

    /// The value of field `number`.
    func field(_ number: UInt8) -> Watched? {
        if case .watched(let it) = choice { return it }
        return number == 2 ? wrapped : plain.wrappedValue
    }
}

@Suite("A message that arrives in parts")
struct PartsTests {
    @Test("grows in place, for every way to list its field", arguments: [UInt8](2...4))
    func growsInPlace(number: UInt8) throws {
        let few = try #require(try Self.decoded(number, parts: 1000))
        let many = try #require(try Self.decoded(number, parts: 4000))
        #expect(few.numbers.count == 1000)
        #expect(many.numbers.count == 4000)
        #expect(few.moves < 30)
        // The capacity doubles, so four times as many numbers need about two more moves.
        #expect(many.moves <= few.moves + 4)
    }

    /// Field `number` from parts with one number each, with an unknown field after each part.
    private static func decoded(_ number: UInt8, parts: Int) throws -> Watched? {
        let part: [UInt8] = [number << 3 | 2, 2, 8, 1, 0xd0, 1, 0]
        let bytes = [UInt8](repeatElement(part, count: parts).joined())
        return try Watched(decoding: bytes, options: .init(keepsUnknownFields: false))
            .field(number)
    }
}
