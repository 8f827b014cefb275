import SwiftletDynamic
import SwiftletMessages
import Testing

/// The content of an `Any` is bytes for the decoder, so its limit of depth does not count what is inside.
@Suite("A message in an Any in an Any", .timeLimit(.minutes(5)))
struct NestedAnyTests {
    private static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
        rawVarint(number << 3 | 2) + rawVarint(bytes.count) + bytes
    }

    private static let url = field(1, Array("/google.protobuf.Any".utf8))

    /// The message of so many messages of the type `Any`, each inside the one before.
    private func nested(_ count: Int) throws -> DynamicMessage {
        let schema = try TestSchema.wellKnown().requiredMessage("google.protobuf.Any")
        let bytes = (1..<count).reduce([] as [UInt8]) { inner, _ in
            Self.url + (inner.isEmpty ? [] : Self.field(2, inner))
        }
        return try DynamicMessage(decoding: bytes, as: schema)
    }

    @Test("is written as JSON to a depth of 100", arguments: [2, 99, 101])
    func json(count: Int) throws {
        let message = try nested(count)
        let json = try message.json()
        #expect(json.split(separator: "@type").count == count)
        #expect(
            try DynamicMessage(json: json, as: message.schema, options: .init(maxDepth: 200))
                == message)
    }

    @Test("is refused as JSON beyond that depth", arguments: [102, 10_000])
    func tooDeepJSON(count: Int) throws {
        let message = try nested(count)
        let error = #expect(throws: DynamicError.self) { try message.json() }
        #expect(error?.message.hasPrefix("messages are nested more than 100 deep") == true)
        #expect(throws: DynamicError.self) { try message.json(options: .init(isIndented: true)) }
    }

    @Test("is written as JSON as deep as the options allow")
    func option() throws {
        let message = try nested(300)
        #expect(throws: Never.self) { try message.json(options: .init(maxDepth: 299)) }
        #expect(throws: DynamicError.self) { try message.json(options: .init(maxDepth: 298)) }
    }

    @Test("is expanded in text to a depth of 100", arguments: [99, 101, 102, 10_000])
    func text(count: Int) throws {
        let message = try nested(count)
        let text = message.text()
        #expect(text.split(separator: "[/google.protobuf.Any]").count == min(count - 1, 100))
        #expect(try DynamicMessage(text: text, as: message.schema) == message)
        #expect(message.description.contains("type_url") == (count > 101))
    }

    /// Lists that are nested 40 deep, inside messages of type `Any` that are nested 60 deep.
    @Test("counts the messages inside the content, too")
    func content() throws {
        let holder = try TestSchema.wellKnown().requiredMessage("w.Holder")
        // w.Holder.list (3), ListValue.values (1), Value.list_value (6)
        let lists = (0..<40).reduce([] as [UInt8]) { inner, _ in
            Self.field(6, Self.field(1, inner))
        }
        let content = Self.field(1, Array("a/google.protobuf.Value".utf8)) + Self.field(2, lists)
        let deepest = (0..<60).reduce(content) { inner, _ in Self.url + Self.field(2, inner) }
        let message = try DynamicMessage(
            decoding: Self.field(7, deepest), as: holder)
        let error = #expect(throws: DynamicError.self) { try message.json() }
        #expect(error?.message.contains("not a google.protobuf.Value") == true)
        #expect(try DynamicMessage(text: message.text(), as: holder) == message)
    }

    @Test("of an unknown type is refused with an error whose text is short and all visible")
    func error() throws {
        let schema = try TestSchema.wellKnown().requiredMessage("google.protobuf.Any")
        var any = DynamicMessage(schema)
        try any.set(
            "type_url", .string("a/\u{1b}[2J\u{202e}" + String(repeating: "x", count: 1_000)))
        let error = try #require(throws: DynamicError.self) { try any.json() }
        #expect(
            error.description.hasPrefix(
                #"type_url: the schema has no message 'a/\u001b[2J\u202exxx"#))
        #expect(error.description.utf8.count < 300)
    }
}

@Suite("The output for a deep message")
struct IndentationTests {
    @Test("is at most 64 times the message, because lines are indented by at most 16 levels")
    func size() throws {
        let schema = try ProtoCompiler().compile(
            source: #"syntax = "proto3"; message N { N n = 1; repeated bool b = 2; }"#)
        var bytes: [UInt8] = [0x12, 0xa0, 0x9c, 0x01] + [UInt8](repeating: 1, count: 20_000)
        for _ in 0..<99 {
            var length: [UInt8] = []
            var rest = bytes.count
            while rest >= 0x80 {
                length.append(UInt8(rest & 0x7f | 0x80))
                rest >>= 7
            }
            bytes = [0x0a] + length + [UInt8(rest)] + bytes
        }
        let message = try DynamicMessage(
            decoding: bytes, as: try Schema(schema).requiredMessage("N"))
        #expect(message.text().utf8.count < 64 * bytes.count)
        #expect(try message.json(options: .init(isIndented: true)).utf8.count < 64 * bytes.count)
        #expect(message.text().contains("\n" + String(repeating: "  ", count: 16) + "b: true"))
    }
}
