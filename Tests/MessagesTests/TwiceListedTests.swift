import SwiftletMessages
import Testing

/// A mistake that no compiler finds, and that a peer must not be able to make worse.
@Suite("A message that lists a number twice")
struct TwiceListedTests {
    struct Twice: Message {
        var first: Int32 = 0
        var second: Int32 = 0
        var text = ""
        var firstList: [Int32] = []
        var secondList: [Int32] = []
        var firstChild: Everything.Child?
        var secondChild: Everything.Child?
        var unknownFields = UnknownFields()

        mutating func visit(_ field: inout some FieldVisitor) throws(WireError) {
            try field.int32(1, &first)
            try field.int32(1, &second)
            try field.string(1, &text)
            try field.int32(2, &firstList)
            try field.int32(2, &secondList)
            try field.message(3, &firstChild)
            try field.message(3, &secondChild)
        }
    }

    static let whole = Twice.with {
        $0.first = 1
        $0.second = 2
        $0.text = "a"
        $0.firstList = [3, 4]
        $0.secondList = [5]
        $0.firstChild = .with { $0.id = 6 }
        $0.secondChild = .with { $0.tags = ["b"] }
    }

    static let octets: [UInt8] = [
        8, 1, 8, 2, 10, 1, 97, 18, 2, 3, 4, 18, 1, 5, 26, 2, 8, 6, 26, 3, 18, 1, 98,
    ]

    @Test("writes both")
    func encoding() {
        #expect(Self.whole.encoded() == Self.octets)
    }

    @Test("gives all of it to the first whose wire type it is")
    func decoding() throws {
        let message = try Twice(decoding: Self.octets)
        let wanted = Twice.with {
            $0.first = 2
            $0.text = "a"
            $0.firstList = [3, 4, 5]
            $0.firstChild = .with {
                $0.id = 6
                $0.tags = ["b"]
            }
        }
        #expect(message == wanted)
    }
}
