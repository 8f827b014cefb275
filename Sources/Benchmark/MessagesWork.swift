import Swiftlet

/// `Tiny { string name = 1; }`
struct Tiny: Message {
    var name = ""
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { field in
        field.string(1, \.name)
    }
}

/// A message with fields of every kind, 1750 bytes on the wire.
struct Nested: Message {
    var id: Int32 = 0
    var timestamp: Int64 = 0
    var score: Double = 0
    var active = false
    var title = ""
    var numbers: [Int32] = []
    var tags: [String] = []
    var counters: [String: Int64] = [:]
    var items: [Item] = []
    var kind = Kind()
    var unknownFields = UnknownFields()

    static let layout = Layout<Self> { field in
        field.int32(1, \.id)
        field.int64(2, \.timestamp)
        field.double(3, \.score)
        field.bool(4, \.active)
        field.string(5, \.title)
        field.int32(6, \.numbers)
        field.string(7, \.tags)
        field.map(8, \.counters, .string, .int64)
        field.message(9, \.items)
        field.enumeration(10, \.kind)
    }

    struct Kind: OpenEnum {
        var rawValue: Int32
        init(rawValue: Int32) { self.rawValue = rawValue }
    }

    struct Item: Message {
        enum Value: Equatable {
            case text(String)
            case number(Double)
        }

        var name = ""
        var key: UInt64 = 0
        var deltas: [Int32] = []
        var value: Value?
        @Indirect var child: Item?
        var unknownFields = UnknownFields()

        static let layout = Layout<Self> { field in
            field.string(1, \.name)
            field.uint64(2, \.key)
            field.sint32(3, \.deltas)
            field.oneof(4, \.value, .string, Value.text) {
                if case .text(let text) = $0 { text } else { nil }
            }
            field.oneof(5, \.value, .double, Value.number) {
                if case .number(let number) = $0 { number } else { nil }
            }
            field.message(6, \._child)
        }
    }
}

extension Nested {
    static let sample = Nested.with { nested in
        func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        nested.id = 123_456
        nested.timestamp = 1_700_000_000_123_456
        nested.score = 0.98765
        nested.active = true
        nested.title = "A nested message for measuring"
        nested.numbers = (0..<100).map { $0 * 37 % 100_000 }
        nested.tags = (0..<20).map { "tag-00\(twoDigits($0))-value" }
        for index in 0..<20 {
            nested.counters["counter-\(twoDigits(index))"] = Int64(index) * 1_000_003
        }
        nested.items = (0..<10).map(Item.sample)
        nested.kind = Kind(rawValue: 2)
    }
}

extension Nested.Item {
    static func sample(_ index: Int) -> Self {
        .with { item in
            item.name = "item-\(index)-name"
            item.key = 1 << 40 + UInt64(index)
            item.deltas = (0..<16).map { $0 % 2 == 0 ? $0 * 100 : -$0 * 100 }
            item.value =
                index % 2 == 0 ? .text("some text value \(index)") : .number(Double(index) * 1.5)
            item.child = .with {
                $0.name = "child"
                $0.key = UInt64(index)
            }
        }
    }
}
