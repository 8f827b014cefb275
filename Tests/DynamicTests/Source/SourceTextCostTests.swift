import SwiftletDynamic
import SwiftletMessages
import TestSupport
import Testing

/// Text in the source of a `.proto` file, in text format, in JSON and in descriptors, which a peer may write.
@Suite("Text in a file of a peer costs as much as its size", .serialized, .timeLimit(.minutes(5)))
struct SourceTextCostTests {
    struct Row: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let work: @Sendable (String) -> Void

        init(_ name: String, _ work: @escaping @Sendable (String) -> Void) {
            testDescription = name
            self.work = work
        }

        /// Compiles a source that contains the text.
        init(source name: String, _ source: @escaping @Sendable (String) -> String) {
            self.init(name) { _ = try? ProtoCompiler().compile(source: source($0)) }
        }
    }

    private static func proto3(_ rest: String) -> String { "syntax = \"proto3\"; " + rest }

    static let sources = [
        Row(source: "the syntax") { "syntax = \"proto3\($0)\";" },
        Row(source: "the edition") { "edition = \"2023\($0)\";" },
        Row(source: "an import") { proto3("import \"\($0)\";") },
        Row(source: "a package") { proto3("package \($0);") },
        Row(source: "names that are reserved") {
            proto3("message M { reserved \"\($0)\", \"\($0)x\"; int32 a = 1; }")
        },
        Row(source: "reserved values of an enum") {
            proto3("enum E { reserved \"\($0)\", \"\($0)x\"; A = 0; }")
        },
        Row(source: "a name in JSON") {
            proto3("message M { int32 a = 1 [json_name = \"\($0)\"]; int32 b = 2; }")
        },
        Row(source: "a default") {
            "syntax = \"proto2\"; message M { optional string a = 1 [default = \"\($0)\"]; }"
        },
        Row(source: "a default that is no string") {
            "syntax = \"proto2\"; message M { optional bool a = 1 [default = \"\($0)\"]; }"
        },
        Row(source: "an option") { proto3("option java_package = \"\($0)\";") },
        Row(source: "an option of another type") {
            proto3("option java_multiple_files = \"\($0)\"; option optimize_for = \"\($0)\";")
        },
        Row(source: "the name of an option") {
            proto3("option \"\($0)\" = 1; option (\($0)) = 1;")
        },
        Row(source: "declarations of extensions") {
            """
            syntax = "proto2"; message M { extensions 1 [declaration = {
              number: 1, full_name: ".x\($0)", type: ".M\($0)" }]; }
            extend M { optional M x = 1; }
            """
        },
        Row(source: "the value of an option that is a message") {
            aggregate("text: \"\($0)\" text: '\($0)' flag: \"\($0)\"")
        },
        Row(source: "an enum in a value") { aggregate("mode: \"\($0)\"") },
        Row(source: "names in a value") { aggregate("[\"\($0)\"]: 1") },
        Row(source: "the type of an Any in a value") {
            aggregate("any { [type.googleapis.com/\"\($0)\"] {} }")
        },
        Row(source: "a sign in a value") { aggregate("text \"\($0)\"") },
        Row(source: "comments") { proto3("// \($0)\n/* \($0) */ message M {} // \($0)\n") },
        Row(source: "text between tokens") { proto3("message \($0) { \($0) }") },
        Row(source: "strings in place of words") { proto3("\"\($0)\" message \"\($0)\" {}") },
    ]

    private static func aggregate(_ value: String) -> String {
        """
        syntax = "proto2"; import "google/protobuf/descriptor.proto"; import "google/protobuf/any.proto";
        message O { enum Mode { A = 0; } repeated string text = 1; optional bool flag = 2;
          optional Mode mode = 3; optional google.protobuf.Any any = 4; }
        extend google.protobuf.FileOptions { optional O o = 50000; }
        option (o) = { \(value) };
        """
    }

    private static let schema = try? Schema(
        ProtoCompiler().compile(
            source: """
                syntax = "proto2"; import "google/protobuf/any.proto";
                message M {
                  enum E { A = 1; }
                  reserved "b", "c";
                  optional string text = 1; map<string, string> map = 2; optional E e = 3;
                  optional google.protobuf.Any any = 4; optional double number = 5; optional bool is = 6;
                }
                """))

    /// Reads text format and, with the same meaning, JSON.
    private static func read(_ text: String, as format: (String, MessageSchema) throws -> Void) {
        guard let message = schema?.message("M") else { preconditionFailure("no schema") }
        try? format(text, message)
    }

    private static func text(
        _ name: String, _ text: @escaping @Sendable (String) -> String
    ) -> Row {
        Row("in text format: \(name)") {
            read(text($0)) { _ = try DynamicMessage(text: $0, as: $1) }
        }
    }

    private static func json(
        _ name: String, _ text: @escaping @Sendable (String) -> String
    ) -> Row {
        Row("in JSON: \(name)") {
            read(text($0)) { _ = try DynamicMessage(json: $0, as: $1) }
        }
    }

    static let formats = [
        text("a string") { "text: \"\($0)\" text: '\($0)'" },
        text("a key of a map") { "map { key: \"\($0)\" } map { key: \"\($0)x\" }" },
        text("an enum") { "e: \"\($0)\"" },
        text("a number") { "number: \"\($0)\" number: \($0)" },
        text("a name") { "\($0): 1" },
        text("a type") { "any { [x/\($0)] {} }" },
        text("a reserved field") { "b: \"\($0)\" c { \"\($0)\" }" },
        text("a comment") { "# \($0)\n" },
        json("a string") { "{\"text\": \"\($0)\"}" },
        json("keys of a map") { "{\"map\": {\"\($0)\": \"\", \"\($0)x\": \"\"}}" },
        json("an enum") { "{\"e\": \"A\($0)\"}" },
        json("a number") { "{\"number\": \"\($0)\"}" },
        json("a number that has a name") { "{\"number\": \"NaN\($0)\"}" },
        json("a name") { "{\"\($0)\": 1, \"\($0)x\": 1}" },
        json("a type") { "{\"any\": {\"@type\": \"x/\($0)\"}}" },
        json("text in place of a message") { "{\"any\": \"\($0)\"} \($0)" },
        Row("in binary form: keys of a map and strings") { text in
            guard let message = schema?.message("M") else { preconditionFailure("no schema") }
            func field(_ tag: UInt8, _ bytes: [UInt8]) -> [UInt8] {
                [tag] + rawVarint(bytes.count) + bytes
            }
            let key = field(0x0a, Array(text.utf8))
            let bytes = field(0x12, key) + field(0x12, key) + field(0x0a, Array(text.utf8))
            _ = try? DynamicMessage(decoding: bytes, as: message).json()
        },
    ]

    static let descriptors = [
        Row("names that a descriptor reserves") { text in
            let file = Google.Protobuf.FileDescriptorProto.with {
                $0.name = "a.proto"
                $0.messageType = [
                    .with {
                        $0.name = "M"
                        $0.reservedName = ["b" + text, "b" + text + "x"]
                    }
                ]
            }
            guard let message = try? Schema([file]).message("M") else { return }
            _ = try? DynamicMessage(text: "b: 1 b: 2 b: 3", as: message)
        },
        Row("defaults and comments of a descriptor, in generated source") { text in
            let file = Google.Protobuf.FileDescriptorProto.with {
                $0.name = "a.proto"
                $0.syntax = "proto2"
                $0.messageType = [
                    .with {
                        $0.name = "M"
                        $0.field = [
                            .with {
                                $0.name = "a"
                                $0.number = 1
                                $0.type = .string
                                $0.label = .optional
                                $0.defaultValue = text
                            }
                        ]
                    }
                ]
                $0.sourceCodeInfo = .with {
                    $0.location = [
                        .with {
                            $0.path = [4, 0]
                            $0.span = [0, 0, 1]
                            $0.leadingComments = " " + text + "\n " + text
                        }
                    ]
                }
            }
            guard let schema = try? Schema([file]),
                (try? SwiftGenerator().generate(schema)) != nil
            else { preconditionFailure("not generated") }
        },
    ]

    @Test("in every place of it", arguments: sources + formats + descriptors)
    func cost(_ row: Row) {
        let ratio = CostlyText.ratio(of: row.work)
        #expect(ratio < CostlyText.maxRatio, "\(ratio) times the cost of honest text")
    }
}
