import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("Lists and maps of a dynamic message")
struct ListTests {
    /// A list of every type that can be packed.
    private static func numbers() throws -> MessageSchema {
        let types = Proto.FieldDescriptorProto.FieldType.self
        let fields = [
            types.double, types.float, types.int64, types.uint64, types.int32, types.fixed64,
            types.fixed32, types.bool, types.uint32, types.sfixed32, types.sfixed64,
            types.sint32, types.sint64,
        ]
        let message = TestSchema.message(
            "Numbers",
            fields.enumerated().map { index, type in
                TestSchema.field("f\(index)", Int32(index + 1), type, .repeated)
            })
        let file = TestSchema.file("numbers.proto", package: "n", messages: [message])
        return try Schema([file]).requiredMessage("n.Numbers")
    }

    @Test("are the same in one part and in many, in both forms, for each type of number")
    func packed() throws {
        let schema = try Self.numbers()
        for field in schema.fields {
            let values: [DynamicValue] =
                field.type == .bool
                ? [true, false, true]
                : (0..<200).map { index in
                    field.type == .double ? .double(Double(index)) : .int64(index)
                }
            var message = DynamicMessage(schema)
            try message.set(field, .list(values))
            let encoded = try message.encoded()
            #expect(try DynamicMessage(decoding: encoded, as: schema) == message, "\(field.name)")
            var twice = message
            try twice.merge(ContiguousArray(encoded).span)
            guard case .list(let all) = try twice.get(field),
                case .list(let once) = try message.get(field)
            else {
                Issue.record("not a list")
                return
            }
            #expect(all == once + once)
            // A single value, and a part that ends too early.
            var single = DynamicMessage(schema)
            try single.set(field, .list([values[1]]))
            let part = Array(try single.encoded().dropFirst(2))
            let loose = [UInt8(field.number << 3) | UInt8(field.type.wireType.rawValue)] + part
            #expect(try DynamicMessage(decoding: loose, as: schema) == single, "\(field.name)")
            let broken = [UInt8(field.number << 3) | 2, UInt8(part.count) + 1] + part + [0x80]
            var partial = DynamicMessage(schema)
            #expect(throws: WireError(.truncated, offset: 2 + part.count, path: [field.number])) {
                do throws(WireError) {
                    try partial.merge(ContiguousArray(broken).span)
                } catch {
                    throw WireError(error.reason, offset: 2 + part.count, path: error.path)
                }
            }
            #expect(partial == single, "what was read before it failed stays")
        }
    }

    @Test("grow through many parts")
    func manyParts() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        let count = 20_000
        var bytes: [UInt8] = []
        for _ in 0..<count { bytes += [0x92, 1, 1, 1, 0x08, 1, 0xa2, 1, 0, 0x9a, 1, 0] }
        let message = try DynamicMessage(decoding: bytes, as: schema)
        for name in ["numbers", "children", "names"] {
            guard case .list(let values) = try message.get(name) else {
                Issue.record("not a list")
                return
            }
            #expect(values.count == count)
        }
    }

    @Test("have one value for a repeated key, and distinguish keys by their bytes")
    func keys() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        var bytes: [UInt8] = []
        for index in 0..<10_000 {
            bytes += [0xaa, 1, 5, 0x0a, 1, 0x61, 0x10, UInt8(index % 100)]
        }
        bytes += [0xaa, 1, 6, 0x0a, 2, 0xc3, 0xa9, 0x10, 1]
        bytes += [0xaa, 1, 7, 0x0a, 3, 0x65, 0xcc, 0x81, 0x10, 2]
        let long = Array(repeating: UInt8(ascii: "k"), count: 40)
        bytes += [0xaa, 1, 44, 0x0a, 40] + long + [0x10, 3]
        let message = try DynamicMessage(decoding: bytes, as: schema)
        let expected: [DynamicMapKey: DynamicValue] = [
            "a": .int32(99), "\u{e9}": .int32(1), "e\u{301}": .int32(2),
            .string(String(repeating: "k", count: 40)): .int32(3),
        ]
        #expect(try message.get("counts") == .map(expected))
    }

    @Test("keep the elements before an element with a wrong length")
    func wrongLength() throws {
        let schema = try TestSchema.all().requiredMessage("t.All")
        let good: [UInt8] = [0xa2, 1, 2, 0x10, 1]
        for tail in [[0xa2, 1, 200], [0xa2, 1, 0xff, 0xff, 0xff, 0xff, 7], [0xa2, 1]] as [[UInt8]] {
            var message = DynamicMessage(schema)
            #expect(throws: WireError.self) {
                try message.merge(ContiguousArray(good + good + tail).span)
            }
            guard case .list(let values) = try message.get("children") else {
                Issue.record("not a list")
                return
            }
            #expect(values.count == 2)
            #expect(try message.encoded() == good + good)
        }
    }

    @Test("accept the numbers of a closed enum that has gaps")
    func gaps() throws {
        let gappy = TestSchema.enumeration(
            "Gappy",
            [("FIVE", 5), ("SIX", 6), ("FOUR", 4), ("NINE", 9), ("MIN", .min), ("MAX", .max)])
        let message = TestSchema.message(
            "Holder", [TestSchema.field("values", 1, .enumeration, of: ".g.Gappy", .repeated)])
        let file = TestSchema.file(
            "gaps.proto", package: "g", syntax: "proto2", messages: [message], enums: [gappy])
        let schema = try Schema([file]).requiredMessage("g.Holder")
        let bytes: [UInt8] = (0..<12).flatMap { [0x08, $0] }
        let decoded = try DynamicMessage(decoding: bytes, as: schema)
        #expect(try decoded.get("values") == .list([4, 5, 6, 9].map { .enumeration($0) }))
        #expect(decoded.unknownFields == [0, 1, 2, 3, 7, 8, 10, 11].flatMap { [0x08, $0] })
    }

    @Test("keep a message in order while fields are added and removed")
    func growth() throws {
        var message = try TestSchema.allMessage()
        var copies: [DynamicMessage] = []
        for field in message.schema.fields.reversed()
        where field.type == .int64 || field.type.isNumber {
            guard !field.isList else { continue }
            copies.append(message)
            try message.set(field, 1)
        }
        #expect(copies.count > 8)
        for (index, copy) in copies.enumerated() { #expect(copy.presentFields.count == index) }
        let numbers = message.presentFields.map(\.field.number)
        #expect(numbers == numbers.sorted())
        while let first = message.presentFields.first {
            let copy = message
            try message.clear(first.field)
            #expect(copy.presentFields.count == message.presentFields.count + 1)
        }
        #expect(message.isEmpty)
    }
}

extension FieldType {
    fileprivate var isNumber: Bool {
        wireType != .lengthDelimited && self != .bool && self != .enumeration
    }
}
