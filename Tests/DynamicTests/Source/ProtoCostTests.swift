import SwiftletMessages
import Testing

@testable import SwiftletCompiler

/// Sources that once cost time with the square of their size, or more. They end within the time limit only if the
/// cost is linear.
@Suite("A .proto file whose cost grows with its size alone", .timeLimit(.minutes(5)))
struct ProtoCostTests {
    private func message(_ source: String) throws -> Google.Protobuf.DescriptorProto {
        try #require(ProtoCompiler().compile(source: source).file.last?.messageType.last)
    }

    @Test("has many optional fields of one name, and is refused")
    func repeatedName() throws {
        let source =
            "syntax = \"proto3\"; message M {"
            + String(repeating: "optional int32 a = 1;", count: 20_000) + "}"
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: source)
        }
        #expect(error.diagnostics.allSatisfy { $0.message == "'M.a' is already declared" })
    }

    @Test("has optional fields whose oneofs need other names than the fields")
    func oneofNames() throws {
        let message = try message(
            """
            syntax = "proto3";
            message M {
              oneof X_b { int32 _b = 1; }
              optional int32 a = 2; optional int32 _a = 3; optional int32 X_a = 4;
              optional int32 b = 5; int32 XX_a = 6;
            }
            """)
        #expect(message.oneofDecl.map(\.name) == ["X_b", "XXX_a", "XXXX_a", "_X_a", "XX_b"])
        #expect(message.field.map(\.oneofIndex) == [0, 1, 2, 3, 4, nil])
    }

    @Test(
        "has many statements with numbers that are reserved",
        arguments: [
            "syntax = \"proto3\"; message M {",
            "syntax = \"proto3\"; message M { enum E { A = 0;",
        ])
    func reserved(start: String) throws {
        let count = 300_000
        let end = String(repeating: "}", count: start.utf8.count { $0 == UInt8(ascii: "{") })
        let message = try message(start + (1...count).map { "reserved \($0);" }.joined() + end)
        #expect(
            message.reservedRange.count + (message.enumType.first?.reservedRange.count ?? 0)
                == count)
    }

    @Test("has many statements with several numbers of extensions")
    func extensionRanges() throws {
        let count = 30_000
        let ranges = (1...count).map { "extensions \(20_000 + 2 * $0), \(20_001 + 2 * $0);" }
        let message = try message("syntax = \"proto2\"; message M {" + ranges.joined() + "}")
        #expect(message.extensionRange.count == 2 * count)
    }

    @Test("has many extensions, and as many declarations of them, of which one differs")
    func declarations() throws {
        let count = 60_000
        let numbers = 100_001...100_000 + count
        let declarations = numbers.map {
            "declaration = { number: \($0) full_name: \".e\($0)\" type: \"int32\" }"
        }
        let extensions = numbers.map { "optional int32 e\($0) = \($0);" }
        let source =
            "syntax = \"proto2\"; message M { extensions 100001 to max ["
            + declarations.joined(separator: ",") + "]; } extend M {"
            + extensions.dropLast().joined() + "optional bool e160000 = 160000; }"
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: source)
        }
        #expect(
            error.diagnostics.map(\.message) == [
                "the extension range declares 160000 with the type 'int32'"
            ])
    }
}
