import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("A oneof of a message with many fields", .timeLimit(.minutes(5)))
struct OneofTests {
    /// Plain fields with the numbers from 3, and a oneof of the fields 1 and 2 and the last one.
    private func schema(fieldCount: Int) throws -> MessageSchema {
        let fields = (3..<fieldCount + 3).map { "int32 f\($0) = \($0);" }.joined()
        let source = """
            syntax = "proto3";
            message M {
              \(fields)
              oneof one { int32 a = 1; int32 b = 2; M m = \(fieldCount + 3); }
              oneof two { int32 c = \(fieldCount + 4); int32 d = \(fieldCount + 5); }
            }
            """
        return try Schema(ProtoCompiler().compile(source: source)).requiredMessage("M")
    }

    private static func tag(_ number: Int) -> [UInt8] {
        let tag = number << 3
        return tag < 0x80
            ? [UInt8(tag)]
            : tag < 0x4000
                ? [UInt8(tag & 0x7f | 0x80), UInt8(tag >> 7)]
                : [UInt8(tag & 0x7f | 0x80), UInt8(tag >> 7 & 0x7f | 0x80), UInt8(tag >> 14)]
    }

    @Test("has one member, whichever is set", arguments: [0, 10, 63, 64, 65, 200])
    func random(fieldCount: Int) throws {
        let schema = try schema(fieldCount: fieldCount)
        var message = DynamicMessage(schema)
        for number in 3..<fieldCount + 3 { try message.set("f\(number)", 1) }
        var present: [Int: String] = [:]
        for _ in 0..<300 {
            let name = try #require(["a", "b", "m", "c", "d"].randomElement())
            let oneof = name == "c" || name == "d" ? 1 : 0
            let field = try #require(schema.field(name))
            switch Int.random(in: 0..<3) {
            case 0:
                try message.clear(name)
                if present[oneof] == name { present[oneof] = nil }
            case 1:
                var tag = Self.tag(Int(field.number))
                if name == "m" { tag[0] |= 2 }
                try message.merge(ContiguousArray(tag + [0]).span)
                present[oneof] = name
            default:
                let copy = message
                try message.set(field, field.defaultValue)
                #expect((copy == message) == (present[oneof] == name))
                present[oneof] = name
            }
            let members = schema.oneofs.map { message.present(in: $0)?.name }
            #expect(members == [present[0], present[1]])
            #expect(message.presentFields.count == fieldCount + present.count)
        }
        let decoded = try DynamicMessage(decoding: message.encoded(), as: schema)
        #expect(decoded == message)
        #expect(message == decoded)
        #expect(try decoded.json() == message.json())
    }

    @Test("stays equal when fields are cleared and set again", arguments: [10, 200])
    func clearing(fieldCount: Int) throws {
        let schema = try schema(fieldCount: fieldCount)
        var message = DynamicMessage(schema)
        let names = (3..<fieldCount + 3).map { "f\($0)" }
        for name in names { try message.set(name, 1) }
        let full = message
        for name in names.shuffled() {
            try message.clear(name)
            #expect(message != full)
            #expect(try !message.has(name))
        }
        #expect(message.isEmpty)
        #expect(message == DynamicMessage(schema))
        #expect(try message.encoded() == [])
        for name in names.shuffled() { try message.set(name, 1) }
        #expect(message == full)
        #expect(try message.encoded() == full.encoded())
    }

    @Test("is decoded without a search or a move of all fields for each member that a peer sends")
    func alternating() throws {
        let count = 10_000
        let schema = try schema(fieldCount: count)
        var bytes: [UInt8] = []
        for number in 3..<count + 3 { bytes += Self.tag(number) + [1] }
        // a and b, and the field with the lowest number, set and cleared.
        for _ in 0..<100_000 { bytes += [0x08, 1, 0x10, 2, 0x18, 1, 0x18, 0] }
        let message = try DynamicMessage(decoding: bytes, as: schema)
        #expect(message.presentFields.count == count)
        #expect(try message.get("b") == .int32(2))
    }
}
