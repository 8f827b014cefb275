// fuzz-modules: Messages Descriptors ServiceMessages JSONText Schema Compiler Dynamic

// A libFuzzer target for JSON and the text format. No input may trap, and a message that was read must be the same
// after it is written and read again. The first byte selects the type. `Tests/Fuzz/run` builds it.

@testable import SwiftletDynamic
@testable import SwiftletMessages
@testable import SwiftletSchema

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFormats(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let first = input.first else { return 0 }
    let schema = FormatsFuzz.types[Int(first) % FormatsFuzz.types.count]
    let text = Array(input.dropFirst())
    FormatsFuzz.json(text, schema)
    FormatsFuzz.text(text, schema)
    return 0
}

enum FormatsFuzz {
    static let types: [MessageSchema] = {
        do {
            let set = try ProtoCompiler { $0 == "fuzz.proto" ? Array(source.utf8) : nil }
                .compile(["fuzz.proto"])
            let schema = try Schema(set)
            return try names.map { try schema.requiredMessage($0) }
        } catch { preconditionFailure("\(error)") }
    }()

    private static let names = [
        "f.All", "f.Old", "google.protobuf.Struct", "google.protobuf.Value", "google.protobuf.Any",
        "google.protobuf.Timestamp", "google.protobuf.Duration", "google.protobuf.FieldMask",
        "google.protobuf.DoubleValue", "google.protobuf.UInt64Value",
    ]

    private static let source = """
        edition = "2023";
        package f;
        import "google/protobuf/any.proto";
        import "google/protobuf/duration.proto";
        import "google/protobuf/field_mask.proto";
        import "google/protobuf/struct.proto";
        import "google/protobuf/timestamp.proto";
        import "google/protobuf/wrappers.proto";
        message All {
          bool flag = 1; int32 i = 2; int64 l = 3; uint64 u = 4; sint32 s = 5; fixed64 x = 6;
          float f = 7; double d = 8; string t = 9; bytes b = 10; Color c = 11; All child = 12;
          repeated int32 numbers = 13; repeated string names = 14; repeated All children = 15;
          map<string, int32> counts = 16; map<int64, All> by_id = 17; map<bool, bytes> by_flag = 18;
          oneof one { string text = 19; google.protobuf.NullValue none = 20; All inner = 21; }
          google.protobuf.Any any = 22; google.protobuf.Value value = 23;
          google.protobuf.Timestamp at = 24; google.protobuf.Duration wait = 25;
          google.protobuf.FieldMask mask = 26; google.protobuf.Int64Value maybe = 27;
          google.protobuf.ListValue list = 28;
        }
        enum Color { RED = 0; GREEN = 1; BLUE = -2; }
        message Old {
          int32 id = 1 [features.field_presence = LEGACY_REQUIRED];
          Item item = 2 [features.message_encoding = DELIMITED];
          message Item { int32 number = 1; }
          string implicit = 3 [features.field_presence = IMPLICIT];
          repeated int32 expanded = 4 [features.repeated_field_encoding = EXPANDED];
          extensions 100 to 199;
        }
        extend Old { string note = 100; Old more = 101; }
        """

    static func json(_ text: [UInt8], _ schema: MessageSchema) {
        var options = JSONReadingOptions()
        options.allowsPartial = true
        guard let message = try? DynamicMessage(json: text, as: schema, options: options),
            // A value may have no JSON, such as an `Any` without a type URL.
            let written = try? message.jsonBytes()
        else { return }
        guard let again = try? DynamicMessage(json: written, as: schema, options: options) else {
            preconditionFailure(
                "what was written cannot be read: \(String(decoding: written, as: UTF8.self))")
        }
        precondition(encode(again) == encode(message), "read as another message")
    }

    static func text(_ text: [UInt8], _ schema: MessageSchema) {
        var options = TextReadingOptions()
        options.allowsPartial = true
        guard let message = try? DynamicMessage(text: text, as: schema, options: options) else {
            return
        }
        let written = message.text()
        guard let again = try? DynamicMessage(text: written, as: schema, options: options) else {
            preconditionFailure("what was written cannot be read: \(written)")
        }
        precondition(encode(again) == encode(message), "read as another message")
    }

    private static func encode(_ message: DynamicMessage) -> [UInt8] {
        guard let bytes = try? message.encoded(options: .deterministic, allowsPartial: true) else {
            preconditionFailure("a message that may be partial cannot be written")
        }
        return bytes
    }
}
