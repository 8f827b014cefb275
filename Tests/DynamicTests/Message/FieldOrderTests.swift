import SwiftletDynamic
import SwiftletMessages
import TestSupport
import Testing

@Suite("Fields in any order", .serialized, .timeLimit(.minutes(5)))
struct FieldOrderTests {
    private static func schema(fieldCount: Int) throws -> MessageSchema {
        let file = Google.Protobuf.FileDescriptorProto.with { file in
            file.name = "m.proto"
            file.syntax = "proto3"
            file.messageType = [
                .with { message in
                    message.name = "M"
                    message.field = (1...Int32(fieldCount)).map { number in
                        .with { field in
                            field.name = "f\(number)"
                            field.number = number
                            field.type = .int32
                            field.label = .optional
                        }
                    }
                }
            ]
        }
        return try Schema([file]).requiredMessage("M")
    }

    /// Fields with these numbers, each with its number as value.
    private static func bytes(_ numbers: some Sequence<Int>) -> [UInt8] {
        func varint(_ value: Int) -> [UInt8] {
            value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f | 0x80)] + varint(value >> 7)
        }
        return numbers.flatMap { varint($0 << 3) + varint($0) }
    }

    @Test("are decoded in the same time, whatever the order is")
    func cost() throws {
        let count = 60_000
        let schema = try Self.schema(fieldCount: count)
        func decode(_ numbers: some Sequence<Int>) -> () -> Void {
            let bytes = Self.bytes(numbers)
            return {
                guard (try? DynamicMessage(decoding: bytes, as: schema)) != nil else {
                    preconditionFailure("refused")
                }
            }
        }
        let ascending = decode(1...count)
        for numbers in [Array((1...count).reversed()), (1...count).shuffled()] {
            let ratio = ProcessorTime.ratio(of: decode(numbers), to: ascending)
            #expect(ratio < 15, "\(ratio)")
        }
    }

    @Test("make the same message", arguments: [10, 64, 65, 66, 200, 1_000])
    func equality(count: Int) throws {
        let schema = try Self.schema(fieldCount: count)
        let ascending = try DynamicMessage(decoding: Self.bytes(1...count), as: schema)
        for numbers in [Array((1...count).reversed()), (1...count).shuffled()] {
            let message = try DynamicMessage(decoding: Self.bytes(numbers), as: schema)
            #expect(message == ascending)
            #expect(message.presentFields.map(\.value) == (1...count).map { .int32(Int32($0)) })
            #expect(try message.encoded() == Self.bytes(1...count))
            #expect(try message.json() == ascending.json())
        }
    }

    @Test("are changed and cleared like others")
    func changes() throws {
        let count = 300
        let schema = try Self.schema(fieldCount: count)
        let even = stride(from: 2, through: count, by: 2)
        var message = try DynamicMessage(decoding: Self.bytes(even.reversed()), as: schema)
        var values = Dictionary(uniqueKeysWithValues: even.map { ($0, $0) })
        for number in (1...count).shuffled() {
            let copy = message
            switch Int.random(in: 0..<3) {
            case 0:
                try message.clear("f\(number)")
                values[number] = nil
            case 1:
                try message.merge(ContiguousArray(Self.bytes([number])).span)
                values[number] = number
            default:
                try message.set("f\(number)", .int32(7))
                values[number] = 7
            }
            #expect(try message.has("f\(number)") == (values[number] != nil))
            #expect(try copy.has("f\(number)") == number.isMultiple(of: 2))
        }
        #expect(
            message.presentFields.map { Int($0.field.number) } == values.keys.sorted())
        let decoded = try DynamicMessage(decoding: message.encoded(), as: schema)
        #expect(decoded == message && message == decoded)
    }
}
