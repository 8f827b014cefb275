import SwiftletServices
import Testing

@testable import SwiftletMessages

@Suite("A field that is not written")
struct AbsenceTests {
    @Test("is one whose value has become empty, but keeps its memory")
    func emptied() {
        var message = Everything.with {
            $0.string = String(repeating: "x", count: 100)
            $0.bytes = [1]
            $0.strings = ["a"]
            $0.int32s = [1]
            $0.child = .with { $0.id = 1 }
            $0.again = .init()
        }
        #expect(message.encoded().count > 100)
        message.string.removeAll(keepingCapacity: true)
        message.bytes.removeAll(keepingCapacity: true)
        message.strings.removeAll(keepingCapacity: true)
        message.int32s.removeAll(keepingCapacity: true)
        (message.child, message.again) = (nil, nil)
        #expect(message.encoded().isEmpty)
    }

    /// Smaller than the eight bytes that are looked at, and with properties at the end of them.
    private struct Small: DropsUnknownFields {
        var flag = false
        var other = false

        static let layout = Layout<Self> { field in
            field.bool(1, \.flag)
            field.bool(2, \.other)
        }
    }

    private struct Narrow: DropsUnknownFields {
        var wide: UInt64 = 0
        var number: UInt32 = 0
        var flag = false
        var last = false

        static let layout = Layout<Self> { field in
            field.uint64(1, \.wide)
            field.uint32(2, \.number)
            field.bool(3, \.flag)
            field.bool(4, \.last)
        }
    }

    @Test("is found beside fields that are written, wherever it is in the struct")
    func neighbors() {
        #expect(Small.with { $0.other = true }.encoded() == [16, 1])
        #expect(Small.with { $0.flag = true }.encoded() == [8, 1])
        #expect(Narrow.with { $0.wide = 1 }.encoded() == [8, 1])
        #expect(Narrow.with { $0.number = 1 }.encoded() == [16, 1])
        #expect(Narrow.with { $0.flag = true }.encoded() == [24, 1])
        #expect(Narrow.with { $0.last = true }.encoded() == [32, 1])
        #expect(Narrow.with { ($0.wide, $0.last) = (.max, true) }.encoded().count == 13)
    }

    /// Its optional is nil if a byte of its first word has a certain value. The rest of the word has no meaning then.
    struct Fix: DropsUnknownFields {
        var isValid = false
        var accuracy: Float = 0
        var latitude = 0.0
        var longitude = 0.0

        static let layout = Layout<Self> { field in
            field.bool(1, \.isValid)
            field.float(2, \.accuracy)
            field.double(3, \.latitude)
            field.double(4, \.longitude)
        }
    }

    private struct Position: Message {
        var fix: Fix?
        var other: Fix?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.message(1, \.fix)
            field.message(2, \.other)
        }
    }

    @Test("is an optional message that is nil, whatever the rest of its memory holds")
    func restOfMemory() {
        var position = Position()
        #expect(position.encoded().isEmpty)
        for accuracy in [Float.pi, 0, 1] {
            position.fix = .with { ($0.isValid, $0.accuracy) = (true, accuracy) }
            position.other = position.fix
            #expect(position.encoded().count == (accuracy == 0 ? 8 : 18))
            position.fix = nil
            #expect(position.encoded().count == (accuracy == 0 ? 4 : 9))
            position.other = nil
            #expect(position.encoded().isEmpty)
        }
    }

    @Test("is found by one word of an optional message, if that stores its unknown fields")
    func messages() {
        #expect(Self.messagesOfUnknownAbsence(in: GRPC.Testing.SimpleRequest.self) == [])
        #expect(Self.messagesOfUnknownAbsence(in: GRPC.Testing.SimpleResponse.self) == [])
        #expect(Self.messagesOfUnknownAbsence(in: Everything.self) == [])
        #expect(Self.messagesOfUnknownAbsence(in: PresenceTests.Holder.self) == [1, 3])
    }

    /// The numbers of the message fields whose absence no word tells.
    private static func messagesOfUnknownAbsence<M: Message>(in: M.Type) -> [UInt32] {
        let table = unsafe M.layout.table
        return (0..<(unsafe table.pointee.count)).map { unsafe table.pointee.entries[$0] }
            .filter { $0.shape == .optional && $0.code == .message && !$0.absence.isKnown }
            .map(\.number)
    }
}
