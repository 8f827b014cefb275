import SwiftletDynamic
import SwiftletMessages
import Testing

@Suite("The binary format of a dynamic message")
struct BinaryTests {
    private func decode(
        _ bytes: [UInt8], as type: String = "t.All", options: DecodingOptions = DecodingOptions(),
        allowsPartial: Bool = true
    ) throws -> DynamicMessage {
        try DynamicMessage(
            decoding: bytes, as: try TestSchema.all().requiredMessage(type), options: options,
            allowsPartial: allowsPartial)
    }

    @Test(
        "is read and written field by field",
        arguments: [
            ([0x08, 1], "a_bool", .bool(true)),
            ([0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], "an_int32", -1),
            ([0x18, 0x96, 1], "an_int64", 150),
            ([0x30, 3], "a_sint32", -2),
            ([0x45, 1, 0, 0, 0], "a_fixed32", 1),
            ([0x59, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], "an_sfixed64", -1),
            ([0x65, 0, 0, 0xc0, 0x3f], "a_float", 1.5),
            ([0x72, 2, 0x68, 0x69], "a_string", "hi"),
            ([0x7a, 1, 0xff], "some_bytes", .bytes([0xff])),
            ([0x80, 1, 1], "a_color", 1),
            ([0x92, 1, 2, 1, 2], "numbers", [1, 2]),
            ([0xaa, 1, 5, 0x0a, 1, 0x61, 0x10, 3], "counts", .map(["a": 3])),
        ] as [([UInt8], String, DynamicValue)])
    func fields(bytes: [UInt8], field: String, value: DynamicValue) throws {
        var expected = try TestSchema.allMessage()
        try expected.set(field, value)
        let schema = expected.schema
        let decoded = try DynamicMessage(decoding: bytes, as: schema)
        #expect(decoded == expected)
        #expect(try decoded.encoded() == bytes)
    }

    @Test("accepts lists of both forms, in parts and in any order")
    func lists() throws {
        let message = try decode([0x92, 1, 2, 1, 2, 0x08, 1, 0x90, 1, 3, 0x92, 1, 1, 4])
        #expect(try message.get("numbers") == .list([1, 2, 3, 4].map { .int32($0) }))
    }

    @Test("merges messages that arrive in parts, and replaces the other fields of a oneof")
    func merging() throws {
        let parts: [UInt8] = [0x8a, 1, 2, 0x08, 1, 0x8a, 1, 2, 0x10, 5]
        let message = try decode(parts)
        #expect(try message.encoded() == [0x8a, 1, 4, 0x08, 1, 0x10, 5])
        let oneof = try decode([0xba, 1, 1, 0x61, 0xc0, 1, 7])
        #expect(try !oneof.has("one_text"))
        #expect(try oneof.get("one_number") == .int32(7))
    }

    @Test("keeps unknown fields, or drops them if the options say so")
    func unknownFields() throws {
        let bytes: [UInt8] = [0xa2, 6, 1, 9, 0xf8, 6, 1]
        let message = try decode(bytes)
        #expect(message.unknownFields == bytes)
        #expect(try message.encoded() == bytes)
        let dropped = try decode(bytes, options: DecodingOptions(keepsUnknownFields: false))
        #expect(dropped.isEmpty)
    }

    @Test("keeps unknown values of a closed enum as unknown fields")
    func closedEnums() throws {
        let message = try decode([0x10, 2, 0x10, 9, 0x1a, 3, 1, 9, 2], as: "o.Old")
        #expect(try message.get("shade") == .enumeration(2))
        #expect(try message.get("shades") == .list([.enumeration(1), .enumeration(2)]))
        #expect(message.unknownFields == [0x10, 9, 0x18, 9])
    }

    @Test("keeps a string that is not UTF-8 as an unknown field in proto2")
    func looseStrings() throws {
        let bytes: [UInt8] = [0x32, 1, 0xff]
        let message = try decode(bytes, as: "o.Old")
        #expect(try !message.has("text"))
        #expect(try message.encoded(allowsPartial: true) == bytes)
    }

    @Test("reads and writes groups and extensions")
    func groups() throws {
        let bytes: [UInt8] = [0x08, 1, 0x2b, 0x08, 5, 0x2c, 0xa2, 6, 1, 0x61]
        let message = try decode(bytes, as: "o.Old")
        #expect(try message.get("o.note") == .string("a"))
        guard case .message(let item) = try message.get("item") else {
            Issue.record("not a message")
            return
        }
        #expect(try item.get("number") == .int32(5))
        #expect(try message.encoded() == bytes)
    }

    @Test("checks required fields, also of inner messages")
    func required() throws {
        #expect(throws: WireError(.missingRequiredField, path: [1])) {
            try decode([], as: "o.Old", allowsPartial: false)
        }
        #expect(throws: WireError(.missingRequiredField, offset: 4, path: [7, 1])) {
            try decode([0x08, 1, 0x3a, 0], as: "o.Old", allowsPartial: false)
        }
        let partial = try decode([0x3a, 2, 0x08, 1], as: "o.Old")
        #expect(throws: WireError(.missingRequiredField, path: [1])) { try partial.encoded() }
    }

    @Test(
        "refuses the bytes that a compiled message refuses, and names the place",
        arguments: [
            ([0x10], WireError(.truncated, offset: 1, path: [2])),
            ([0x00, 0], WireError(.invalidTag, offset: 0)),
            ([0x72, 1, 0xff], WireError(.invalidUTF8, offset: 2, path: [14])),
            ([0x72, 5, 0x61], WireError(.truncated, offset: 2, path: [14])),
            ([0x8a, 1, 1, 0x10], WireError(.truncated, offset: 4, path: [17, 2])),
            ([0x0c], WireError(.unmatchedGroup, offset: 0)),
        ] as [([UInt8], WireError)])
    func refused(bytes: [UInt8], error: WireError) throws {
        #expect(throws: error) { try decode(bytes) }
    }

    @Test("has the limits of compiled messages")
    func limits() throws {
        var nested: [UInt8] = []
        for _ in 0..<20 { nested = [0x8a, 1, UInt8(nested.count)] + nested }
        #expect(throws: Never.self) {
            try decode(nested, options: DecodingOptions(maxDepth: 20))
        }
        #expect {
            try decode(nested, options: DecodingOptions(maxDepth: 19))
        } throws: {
            ($0 as? WireError)?.reason == .tooDeep
        }
        #expect(throws: WireError(.tooLarge)) {
            try decode([0x08, 1], options: DecodingOptions(maxByteCount: 1))
        }
    }

    @Test("never traps on any bytes")
    func noise() throws {
        let schema = try TestSchema.all()
        let types = try ["t.All", "o.Old"].map { try schema.requiredMessage($0) }
        var generator = SeededGenerator(seed: 20)
        for _ in 0..<5_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                UInt8.random(in: .min ... .max, using: &generator)
            }
            for type in types {
                guard
                    let message = try? DynamicMessage(
                        decoding: bytes, as: type, allowsPartial: true)
                else { continue }
                let encoded = try message.encoded(options: .deterministic, allowsPartial: true)
                let again = try DynamicMessage(decoding: encoded, as: type, allowsPartial: true)
                let bytes = try again.encoded(options: .deterministic, allowsPartial: true)
                #expect(bytes == encoded)
            }
        }
    }

    @Test("converts to a compiled message and back")
    func compiled() throws {
        let schema = try Schema([
            TestSchema.file(
                "any.proto", package: "google.protobuf",
                messages: [
                    TestSchema.message(
                        "Any",
                        [
                            TestSchema.field("type_url", 1, .string),
                            TestSchema.field("value", 2, .bytes),
                        ])
                ])
        ])
        var any = Google.Protobuf.AnyMessage()
        any.typeURL = "a/b"
        any.value = [1]
        let message = try DynamicMessage(any, as: try schema.requiredMessage("google.protobuf.Any"))
        #expect(try message.get("type_url") == .string("a/b"))
        #expect(try message.message(as: Google.Protobuf.AnyMessage.self) == any)
        #expect(throws: DynamicError.self) {
            try message.message(as: Google.Protobuf.Empty.self)
        }
    }
}

/// A seeded generator, so that a failure is repeatable.
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ state >> 33
    }
}
