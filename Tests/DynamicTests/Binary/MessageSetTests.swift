import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("A message set")
struct MessageSetTests {
    private static func schema() throws -> Schema {
        try Schema(
            ProtoCompiler().compile(
                source: """
                    syntax = "proto2";
                    message Set { option message_set_wire_format = true; extensions 4 to max; }
                    message M { extend Set { optional M one = 100; optional M two = 101; } optional int32 a = 1; }
                    """))
    }

    @Test(
        "has the first type and the first value of an item, in any order",
        arguments: [
            [0x10, 100, 0x1a, 2, 0x08, 1],
            [0x1a, 2, 0x08, 1, 0x10, 100],
            [0x10, 100, 0x10, 101, 0x1a, 2, 0x08, 1],
            [0x10, 100, 0x1a, 2, 0x08, 1, 0x1a, 2, 0x08, 2],
            [0x1a, 2, 0x08, 1, 0x1a, 2, 0x08, 2, 0x10, 100, 0x10, 101],
            [0x1a, 2, 0x08, 1, 0x10, 100, 0x20, 9, 0x1a, 1, 0xff],
        ] as [[UInt8]])
    func repeated(fields: [UInt8]) throws {
        let schema = try Self.schema().requiredMessage("Set")
        let message = try DynamicMessage(decoding: [0x0b] + fields + [0x0c], as: schema)
        guard case .message(let inner) = try message.get("M.one") else {
            Issue.record("not a message")
            return
        }
        #expect(try inner.get("a") == .int32(1))
        #expect(try !message.has("M.two"))
        #expect(message.unknownFields.isEmpty)
        #expect(try message.encoded() == [0x0b, 0x10, 100, 0x1a, 2, 0x08, 1, 0x0c])
    }

    @Test("keeps an item of an unknown type as it is")
    func unknown() throws {
        let bytes: [UInt8] = [0x0b, 0x10, 102, 0x1a, 2, 0x08, 1, 0x0c]
        let schema = try Self.schema().requiredMessage("Set")
        let message = try DynamicMessage(decoding: bytes, as: schema)
        #expect(message.unknownFields == bytes)
        #expect(try message.encoded() == bytes)
    }
}
