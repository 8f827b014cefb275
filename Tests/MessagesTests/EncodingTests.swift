import SwiftletMessages
import Testing

@Suite("A message")
struct EncodingTests {
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var message: Everything
        var bytes: [UInt8]

        init(_ name: String, _ bytes: [UInt8], _ setUp: (inout Everything) -> Void) {
            testDescription = name
            self.bytes = bytes
            message = .with(setUp)
        }
    }

    static let cases: [Case] = [
        Case("nothing", []) { _ in },
        Case("150, as in the specification", [0x08, 0x96, 0x01]) { $0.int32 = 150 },
        Case("-1 in ten bytes", [0x08] + [UInt8](repeating: 0xff, count: 9) + [1]) {
            $0.int32 = -1
        },
        Case("the least int64", [0x10] + [UInt8](repeating: 0x80, count: 9) + [1]) {
            $0.int64 = .min
        },
        Case("the greatest uint32", [0x18, 0xff, 0xff, 0xff, 0xff, 0x0f]) { $0.uint32 = .max },
        Case("the greatest uint64", [0x20] + [UInt8](repeating: 0xff, count: 9) + [1]) {
            $0.uint64 = .max
        },
        Case("-2 as zigzag", [0x28, 0x03]) { $0.sint32 = -2 },
        Case("the least sint32", [0x28, 0xff, 0xff, 0xff, 0xff, 0x0f]) { $0.sint32 = .min },
        Case("the least sint64", [0x30] + [UInt8](repeating: 0xff, count: 9) + [1]) {
            $0.sint64 = .min
        },
        Case("fixed32", [0x3d, 4, 3, 2, 1]) { $0.fixed32 = 0x0102_0304 },
        Case("fixed64", [0x41, 8, 7, 6, 5, 4, 3, 2, 1]) { $0.fixed64 = 0x0102_0304_0506_0708 },
        Case("sfixed32", [0x4d, 0xfe, 0xff, 0xff, 0xff]) { $0.sfixed32 = -2 },
        Case("sfixed64", [0x51, 0, 0, 0, 0, 0, 0, 0, 0x80]) { $0.sfixed64 = .min },
        Case("a float", [0x5d, 0, 0, 0x80, 0x3f]) { $0.float = 1 },
        Case("minus zero, which is not nothing", [0x61, 0, 0, 0, 0, 0, 0, 0, 0x80]) {
            $0.double = -0.0
        },
        Case("true", [0x68, 1]) { $0.bool = true },
        Case("testing, as in the specification", [0x72, 7] + "testing".utf8) {
            $0.string = "testing"
        },
        Case("bytes", [0x7a, 2, 0, 0xff]) { $0.bytes = [0, 0xff] },
        Case("an unknown enum value", [0x80, 1, 42]) { $0.colour = .init(rawValue: 42) },
        Case("a message in a message", [0x8a, 1, 3, 8, 0x96, 1]) {
            $0.child = .with { $0.id = 150 }
        },
        Case("an empty message, which is there", [0x8a, 1, 0]) { $0.child = .init() },
        Case("itself", [0x92, 1, 2, 0x68, 1]) { $0.again = .with { $0.bool = true } },
        Case("zero, which is there", [0xa8, 1, 0]) { $0.optionalInt32 = 0 },
        Case("no text, which is there", [0xb2, 1, 0, 0xba, 1, 0]) {
            $0.optionalString = ""
            $0.optionalBytes = []
        },
        Case("packed, as in the specification", [0xfa, 1, 6, 3, 0x8e, 2, 0x9e, 0xa7, 5]) {
            $0.int32s = [3, 270, 86942]
        },
        Case("packed zigzag", [0x82, 2, 2, 1, 2]) { $0.sint64s = [-1, 1] },
        Case("packed doubles", [0x8a, 2, 8, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]) { $0.doubles = [1] },
        Case("unpacked", [0xa0, 2, 1, 0xa0, 2, 0]) { $0.unpacked = [1, 0] },
        Case("texts", [0xaa, 2, 1, 0x61, 0xaa, 2, 0]) { $0.strings = ["a", ""] },
        Case("messages", [0xba, 2, 0, 0xba, 2, 2, 8, 1]) {
            $0.children = [.init(), .with { $0.id = 1 }]
        },
        Case("a map, with key and value always", [0xca, 2, 4, 8, 0, 0x12, 0]) {
            $0.names = [0: ""]
        },
        Case("a map of messages", [0xd2, 2, 6, 8, 1, 0x12, 2, 8, 5]) {
            $0.flags = [true: .with { $0.id = 5 }]
        },
        Case("a choice of zero", [0xa0, 3, 0]) { $0.choice = .number(0) },
        Case("a choice of a message", [0xaa, 3, 0]) { $0.choice = .child(.init()) },
        Case("a group", [0xeb, 3, 8, 1, 0xec, 3]) { $0.group = .with { $0.id = 1 } },
        Case("groups", [0xc3, 0xb8, 2, 0xc4, 0xb8, 2, 0xc3, 0xb8, 2, 0xc4, 0xb8, 2]) {
            $0.groups = [.init(), .init()]
        },
    ]

    @Test("is encoded to the bytes of the specification", arguments: cases)
    func encode(_ each: Case) { #expect(each.message.encoded() == each.bytes) }

    @Test("is decoded from these bytes", arguments: cases)
    func decode(_ each: Case) throws {
        #expect(try Everything(decoding: each.bytes) == each.message)
    }

    @Test("has space for a prefix, and fills the rest")
    func prefix() {
        let message = Everything.with { $0.string = "hello" }
        #expect(message.encoded(reservingPrefix: 5) == [0, 0, 0, 0, 0] + message.encoded())
        #expect(Everything().encoded(reservingPrefix: 5) == [0, 0, 0, 0, 0])
    }

    @Test(
        "has zeros as its prefix, also if that is larger than a buffer",
        arguments: [1_000, 1_008, 1_009, 1_024, 2_000, 70_000])
    func largePrefix(byteCount: Int) {
        let zeros = [UInt8](repeating: 0, count: byteCount)
        for message in [
            Everything.with { $0.string = "hello" },
            Everything.with { $0.bytes = [UInt8](repeating: 7, count: 3_000) },
        ] {
            #expect(message.encoded(reservingPrefix: byteCount) == zeros + message.encoded())
        }
    }

    @Test("is appended to an array, and reuses its memory")
    func appending() {
        var bytes: [UInt8] = [9]
        var expected: [UInt8] = [9]
        for length in [0, 1, 40, 0, 3_000] {
            let message = Everything.with { $0.string = String(repeating: "x", count: length) }
            message.encode(appendingTo: &bytes)
            message.encode(appendingTo: &bytes, reservingPrefix: 2, options: .deterministic)
            expected += message.encoded() + [0, 0] + message.encoded()
        }
        #expect(bytes == expected)
        bytes.removeAll(keepingCapacity: true)
        let address = unsafe bytes.withUnsafeBufferPointer {
            UInt(bitPattern: $0.baseAddress)
        }
        Everything.with { $0.string = "short" }.encode(appendingTo: &bytes)
        let addressBehind = unsafe bytes.withUnsafeBufferPointer {
            UInt(bitPattern: $0.baseAddress)
        }
        #expect(addressBehind == address)
        // Capacity is reserved for many messages at a time.
        var moveCount = 0
        for _ in 0..<10_000 {
            let capacity = bytes.capacity
            Everything.with { $0.string = "short" }.encode(appendingTo: &bytes)
            if bytes.capacity != capacity { moveCount += 1 }
        }
        #expect(moveCount < 20)
    }

    @Test("can be encoded without copying large fields", arguments: [0, 1, 40, 100, 500])
    func apart(minByteCount: Int) throws {
        var random = SplitMix64(seed: UInt64(minByteCount))
        var partCount = 0
        for _ in 0..<200 {
            let message = Everything.random(using: &random)
            var bytes: [UInt8] = []
            var separate = SeparateBytes(minByteCount: minByteCount)
            message.encode(
                appendingTo: &bytes, reservingPrefix: 3, separating: &separate,
                options: .deterministic)
            let parts = separate.parts(between: bytes)
            try #require(
                Array(parts.joined()) == [0, 0, 0] + message.encoded(options: .deterministic))
            try #require(bytes.count + separate.byteCount == parts.reduce(0) { $0 + $1.count })
            #expect(separate.isEmpty == (parts.count == 1))
            partCount += parts.count
        }
        #expect(minByteCount == 500 ? partCount == 200 : partCount > 400)
    }

    @Test("shares the memory of fields that are not copied")
    func sharing() throws {
        func address(_ bytes: [UInt8]) -> UInt {
            unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        var message = Everything.with { $0.bytes = [UInt8](repeating: 7, count: 100) }
        var bytes: [UInt8] = []
        var separate = SeparateBytes(minByteCount: 100)
        message.encode(
            appendingTo: &bytes, reservingPrefix: 0, separating: &separate,
            options: EncodingOptions())
        let parts = separate.parts(between: bytes)
        #expect(parts.count == 2)
        #expect(address(parts[1]) == address(message.bytes))
        // A later change copies the array first, so that the part does not change.
        message.bytes[0] = 8
        #expect(parts[1] == [UInt8](repeating: 7, count: 100))
    }

    @Test("is written with sorted maps when asked to")
    func deterministic() {
        let message = Everything.with {
            for index in 0..<50 { $0.names[Int32(index * 7919 % 50)] = "\(index)" }
            $0.weights = ["b": 1, "": 2, "é": 3, "a": 4]
            $0.flags = [true: .init(), false: .init()]
        }
        let sorted = message.encoded(options: .deterministic)
        var last: Int32 = -1
        for key in keys(sorted) {
            #expect(key > last)
            last = key
        }
        #expect(last == 49)
        #expect(sorted.count == message.encoded().count)
    }

    /// The keys of the map `names`, in the order in which they are written.
    private func keys(_ bytes: [UInt8]) -> [Int32] {
        var keys: [Int32] = []
        var index = 0
        while index + 4 < bytes.count, bytes[index] == 0xca, bytes[index + 1] == 2 {
            keys.append(bytes[index + 3] == 8 ? Int32(bytes[index + 4]) : -1)
            index += 3 + Int(bytes[index + 2])
        }
        return keys
    }
}
