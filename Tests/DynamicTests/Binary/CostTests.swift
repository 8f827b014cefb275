import SwiftletDynamic
import SwiftletMessages
import Testing

/// Inputs that once cost time with the square of their size, or more. They end within the time limit only if the
/// cost is linear.
@Suite("Input of a peer whose cost grows with its size alone", .timeLimit(.minutes(5)))
struct CostTests {
    private static let source = """
        syntax = "proto2";
        import "google/protobuf/any.proto";
        message M {
          enum E { A = 1; }
          repeated E packed = 1 [packed = true];
          map<string, M> map = 2;
          optional google.protobuf.Any any = 4;
          optional int32 K = 5;
          map<bool, bytes> by_flag = 6;
        }
        """

    private static func message() throws -> MessageSchema {
        try Schema(ProtoCompiler().compile(source: source)).requiredMessage("M")
    }

    /// A letter and many combining marks that are not in their normal order.
    private static func marks(_ count: Int) -> String {
        "a" + String(repeating: "\u{301}\u{316}", count: count / 2)
    }

    @Test("is a packed list of numbers that a closed enum does not have; all are kept")
    func unknownNumbers() throws {
        let count = 1 << 20
        let bytes = [0x0a] + rawVarint(count) + [UInt8](repeating: 0x7f, count: count)
        let message = try DynamicMessage(decoding: bytes, as: Self.message())
        #expect(message.unknownFields.count == 2 * count)
        #expect(message.unknownFields.prefix(4) == [0x08, 0x7f, 0x08, 0x7f])
    }

    @Test("is an entry of a map with many values, which are merged")
    func valuesOfEntry() throws {
        let count = 200_000
        // Each value adds an element to the list of the message.
        let value: [UInt8] = [0x12, 3, 0x0a, 1, 1]
        let entry: [UInt8] =
            [0x0a, 1, 0x61] + repeatElement(value, count: count).joined()
        let bytes: [UInt8] = [0x12] + rawVarint(entry.count) + entry
        let message = try DynamicMessage(decoding: bytes, as: Self.message())
        guard case .map(let map) = try message.get("map"), case .message(let inner)? = map["a"],
            case .list(let values) = try inner.get("packed")
        else {
            Issue.record("no list in the message of the map")
            return
        }
        #expect(values.count == count)
    }

    @Test("is a name with many combining marks, which is no name of the schema")
    func names() throws {
        let source = try Schema(ProtoCompiler().compile(source: Self.source))
        let schema = try source.requiredMessage("M")
        let name = Self.marks(400_000)
        #expect(source.message(name) == nil)
        #expect(schema.field(name) == nil)
        #expect(schema.field(jsonName: name) == nil)
        #expect(throws: FormatError.self) {
            try DynamicMessage(json: "{\"\(name)\": 1}", as: schema)
        }
        #expect(throws: FormatError.self) {
            try DynamicMessage(json: "{\"byFlag\": {\"\(name)\": \"\"}}", as: schema)
        }
        #expect(throws: FormatError.self) {
            try DynamicMessage(json: "{\"any\": {\"@type\": \"x/\(name)\"}}", as: schema)
        }
        #expect(throws: FormatError.self) {
            try DynamicMessage(text: "any { [x/\(name)] {} }", as: schema)
        }
        // U+212A, the sign of the Kelvin, has the letter K as its normal form.
        #expect(throws: FormatError.self) {
            try DynamicMessage(json: "{\"\u{212a}\": 1}", as: schema)
        }
        let written = try DynamicMessage(json: "{\"K\": 1}", as: schema)
        #expect(try written.encoded() == [0x28, 1])
    }
}
