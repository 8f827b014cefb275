import Swiftlet
import SwiftletDynamic
import Testing

@testable import SwiftletCLI

@Suite("The text of declarations")
struct OptionsTextTests {
    private static let head = """
        syntax = "proto2";
        package shop;
        import "google/protobuf/any.proto";
        import "google/protobuf/descriptor.proto";
        import "google/protobuf/struct.proto";
        import "google/protobuf/wrappers.proto";
        import "google/protobuf/timestamp.proto";
        import "google/protobuf/duration.proto";
        import "google/protobuf/field_mask.proto";
        extend google.protobuf.FieldOptions {
          optional Rule rule = 50001;
          repeated string tags = 50002;
        }
        extend google.protobuf.MessageOptions { optional string owner = 50003; }
        extend google.protobuf.EnumValueOptions { optional bytes label = 50004; }
        extend google.protobuf.EnumOptions { optional bool sealed = 50005; }
        extend google.protobuf.ServiceOptions { optional double share = 50006; }
        extend google.protobuf.OneofOptions { optional Kind must = 50007; }
        extend google.protobuf.MethodOptions { optional Rule limit = 50008; }
        extend google.protobuf.ExtensionRangeOptions { optional int32 spare = 50009; }

        """

    private static let declarations = """
        message Rule {
          optional int32 min = 1;
          optional string pattern = 2;
        }

        service Cart {
          option deprecated = true;
          option (shop.share) = 0.5;
          rpc Get(Item) returns (Item) {
            option idempotency_level = NO_SIDE_EFFECTS;
            option (shop.limit) = { min: 3 pattern: "a\\"b" };
          }
          rpc Put(Item) returns (Item) { option deprecated = true; }
        }

        message Item {
          option deprecated = true;
          option (shop.owner) = "me";
          optional string id = 1 [default = "x", deprecated = true, (shop.rule) = { min: 3 }, (shop.tags) = "a", (shop.tags) = "b"];
          optional int64 big = 2 [jstype = JS_STRING];
          repeated int32 list = 3 [packed = true];
          oneof which {
            option (shop.must) = BOOK;
            string a = 4;
            string b = 5 [debug_redact = true];
          }
          optional group Part = 6 [deprecated = true] {
            option (shop.owner) = "you";
            optional int32 c = 7;
          }
          map<int64, string> by_number = 8;
          map<bool, google.protobuf.Any> by_flag = 9;
          map<fixed64, google.protobuf.Value> by_size = 10;
          repeated google.protobuf.Any anys = 11;
          optional google.protobuf.Struct object = 12;
          repeated google.protobuf.Timestamp times = 13;
          optional google.protobuf.Duration time = 14;
          optional google.protobuf.FieldMask mask = 15;
          optional google.protobuf.Int64Value wide = 16;
          repeated google.protobuf.ListValue lists = 17;
          map<sint32, float> by_place = 18;
          optional Kind kind = 19;
          extensions 100 to 199 [(shop.spare) = 7];
          reserved 20, 30 to 40;
          reserved "old";
        }

        enum Kind {
          option allow_alias = true;
          option (shop.sealed) = true;
          NONE = 0;
          BOOK = 1 [deprecated = true, (shop.label) = "\\001"];
          TOME = 1;
          reserved 2, 4 to 7;
          reserved "OLD";
        }

        """

    private static let names = ["Rule", "Cart", "Item", "Kind"]

    @Test("has all options, so that it is the text that was compiled")
    func roundTrip() throws {
        let schema = try Schema(ProtoCompiler().compile(source: Self.head + Self.declarations))
        let symbols = try Self.names.map { try SchemaSymbol("shop.\($0)", in: schema) }
        #expect(try ProtoText.text(of: symbols, in: schema) == Self.declarations)
    }

    @Test("has standard options, also if the schema lacks the file that declares them")
    func withoutDescriptorFile() throws {
        let text = "message Item {\n  option deprecated = true;\n}\n"
        let schema = try Schema(
            ProtoCompiler().compile(source: "syntax = \"proto3\"; package shop;" + text))
        let symbol = try SchemaSymbol("shop.Item", in: schema)
        #expect(try ProtoText.text(of: [symbol], in: schema) == text)
    }

    @Test("as a template can be read as a message")
    func template() throws {
        let schema = try Schema(ProtoCompiler().compile(source: Self.head + Self.declarations))
            .readingAny()
        for message in schema.messages where !message.isMapEntry {
            let template = JSONTemplate.text(for: message)
            #expect(throws: Never.self, "\(message): \(template)") {
                _ = try DynamicMessage(
                    json: template, as: message, options: JSONReadingOptions(allowsPartial: true))
            }
        }
    }

    @Test("as JSON has the descriptors, with custom options by their names")
    func json() throws {
        let schema = try Schema(ProtoCompiler().compile(source: Self.head + Self.declarations))
        for name in Self.names + ["Cart.Get", "Item.id"] {
            let symbol = try SchemaSymbol("shop.\(name)", in: schema)
            let json = try SymbolJSON.text(of: [symbol], in: schema)
            #expect(json.hasPrefix("[\n  {\n    \"name\": \"shop.\(name)\",\n    \"file\": "))
            #expect(json.contains("\"[shop.") == (name != "Rule"), "\(json)")
        }
    }
}
