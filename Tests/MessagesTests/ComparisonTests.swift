import SwiftletMessages
import SwiftletWellKnown
import Testing

@Suite("The comparison of messages")
struct ComparisonTests {
    /// One change for each field of ``Everything``.
    static let changes: [@Sendable (inout Everything) -> Void] = [
        { $0.int32 = 1 }, { $0.int64 = 1 }, { $0.uint32 = 1 }, { $0.uint64 = 1 },
        { $0.sint32 = -1 },
        { $0.sint64 = -1 }, { $0.fixed32 = 1 }, { $0.fixed64 = 1 }, { $0.sfixed32 = 1 },
        { $0.sfixed64 = 1 }, { $0.float = 1 }, { $0.double = 1 }, { $0.bool = true },
        { $0.string = "a" }, { $0.bytes = [1] }, { $0.colour = .green }, { $0.child = .init() },
        { $0.child = .with { $0.tags = ["a"] } }, { $0.again = .init() },
        { $0.again = .with { $0.int32 = 1 } }, { $0.optionalInt32 = 0 }, { $0.optionalString = "" },
        { $0.optionalBytes = [] }, { $0.optionalBool = false }, { $0.optionalColour = .red },
        { $0.int32s = [0] }, { $0.int32s = [0, 0] }, { $0.sint64s = [0] }, { $0.doubles = [0] },
        { $0.bools = [false] }, { $0.colours = [.red] }, { $0.unpacked = [0] },
        { $0.strings = [""] },
        { $0.byteLists = [[]] }, { $0.children = [.init()] }, { $0.children = [.init(), .init()] },
        { $0.names = [0: ""] }, { $0.flags = [false: .init()] }, { $0.weights = ["": 0] },
        { $0.shades = [0: .red] }, { $0.choice = .text("") }, { $0.choice = .number(0) },
        { $0.choice = .child(.init()) }, { $0.group = .init() }, { $0.groups = [.init()] },
        { $0.unknownFields = Everything.unknown },
    ]

    @Test("sees each field")
    func fields() {
        let messages = [Everything()] + Self.changes.map { Everything.with($0) }
        for (index, message) in messages.enumerated() {
            for (otherIndex, other) in messages.enumerated() {
                #expect((message == other) == (index == otherIndex), "\(index), \(otherIndex)")
            }
        }
        #expect(Set(messages).count == messages.count)
    }

    @Test("finds copies equal, and hashes them alike")
    func copies() throws {
        var random = SplitMix64(seed: 7)
        for _ in 0..<200 {
            let message = Everything.random(using: &random)
            let copy = try Everything(decoding: message.encoded())
            #expect(copy == message)
            #expect(copy.hashValue == message.hashValue)
        }
    }

    @Test("compares strings as bytes and numbers as Swift does")
    func values() {
        let composed = Everything.with { $0.string = "\u{e9}" }
        let decomposed = Everything.with { $0.string = "e\u{301}" }
        #expect(composed != decomposed)
        let values = ["\u{e9}", "e\u{301}"].map { text in Everything.with { $0.names = [1: text] } }
        #expect(values[0] != values[1])
        // Swift would sort the marks of the text, for minutes.
        let long = "a" + String(repeating: "\u{301}\u{316}", count: 400_000)
        let longs = [long, long + "a"].map { text in Everything.with { $0.names = [1: text] } }
        #expect(longs[0] != longs[1] && Set(longs).count == 2)
        let many = Everything.with { $0.weights = ["a": 0, "b": -0.0, "c": 1] }
        let other = Everything.with { $0.weights = ["c": 1, "b": 0, "a": 0] }
        #expect(many == other && many.hashValue == other.hashValue)
        let zero = Everything.with { $0.doubles = [0] }
        let minusZero = Everything.with { $0.doubles = [-0.0] }
        #expect(zero == minusZero)
        #expect(zero.hashValue == minusZero.hashValue)
        let nan = Everything.with { $0.float = .nan }
        #expect(nan != nan)
    }

    struct Noted: Message {
        var name = ""
        var note = ""
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
        }
    }

    @Test("ignores a property that is not in the list")
    func unlisted() {
        #expect(Noted.with { $0.note = "a" } == Noted())
        #expect(Noted.with { $0.name = "a" } != Noted())
    }
}

extension Everything {
    /// Field 9000 with the value 1.
    fileprivate static var unknown: UnknownFields {
        ((try? Everything(decoding: [0xc0, 0xb2, 0x04, 1])) ?? Everything()).unknownFields
    }
}

@Suite("An enum")
struct EnumStorageTests {
    struct Padded: OpenEnum {
        var rawValue: Int32
        var note: UInt8 = 0
        init(rawValue: Int32) { self.rawValue = rawValue }
    }

    struct Shifted: OpenEnum {
        private var stored: Int32
        var rawValue: Int32 { stored - 1 }
        init(rawValue: Int32) { stored = rawValue &+ 1 }
    }

    struct WithPadded: Message {
        var value = Padded(rawValue: 0)
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.enumeration(1, \.value)
        }
    }

    struct WithShifted: Message {
        var values: [Shifted] = []
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.enumeration(1, \.values)
        }
    }

    @Test(
        "that stores more than its number, or another number, stops the program at the type's first use"
    )
    func storage() async throws {
        let padded = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = WithPadded().encoded() }
        let shifted = await #expect(
            processExitsWith: .failure, observing: [\.standardErrorContent]
        ) { _ = WithShifted().encoded() }
        for (result, name) in [(padded, "Padded"), (shifted, "Shifted")] {
            let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
            #expect(text.contains("\(name) must store 'var rawValue: Int32'"), "\(text)")
        }
    }
}

@Suite("A generic message")
struct GenericMessageTests {
    struct Page<Item: Message>: Message {
        var items: [Item] = []
        var token = ""
        var unknownFields = UnknownFields()

        static var layout: Layout<Self> {
            Layout { field in
                field.message(1, \.items)
                field.string(2, \.token)
            }
        }
    }

    @Test("has a layout for each of its types")
    func pages() throws {
        let page = Page<Everything.Child>.with {
            $0.items = [.with { $0.id = 7 }]
            $0.token = "next"
        }
        #expect(try Page(decoding: page.encoded()) == page)
        let words = Page<Google.Protobuf.StringValue>.with { $0.items = [.init("a")] }
        #expect(try Page(decoding: words.encoded()) == words)
    }
}
