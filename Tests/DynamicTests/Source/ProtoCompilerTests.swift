import Foundation
import SwiftletDynamic
import SwiftletMessages
import SwiftletServices
import Testing

@Suite("The compiler of .proto files")
struct ProtoCompilerTests {
    typealias File = Google.Protobuf.FileDescriptorProto

    @Test("makes the descriptors of the example services", arguments: File.bundled)
    func examples(_ file: File) throws {
        let name = try #require(file.name)
        var compiler = ProtoCompiler(
            reading: ProtoDirectories([ProtoTable.root.appending(path: "Protos").path]).read)
        compiler.includesSourceInfo = false
        let compiled = try #require(try compiler.compile([name]).file.last)
        let base64 = Data(compiled.encoded()).base64EncodedString()
        #expect(compiled == file, "ExampleDescriptorBytes needs: \(base64)")
        #expect(compiled.encoded() == file.encoded())
    }

    @Test("accepts the files that protoc accepts", arguments: ProtoTable.legal)
    func legal(_ example: ProtoTable.Case) throws {
        let set = try ProtoCompiler { example.files[$0].map { Array($0.utf8) } }
            .compile(["case.proto"])
        #expect(set.file.last?.name == "case.proto")
    }

    @Test(
        "refuses the files that protoc refuses, and names the place", arguments: ProtoTable.illegal)
    func illegal(_ example: ProtoTable.Case) throws {
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler { example.files[$0].map { Array($0.utf8) } }.compile(["case.proto"])
        }
        #expect(error.diagnostics.allSatisfy { $0.line > 0 && $0.column > 0 }, "\(error)")
    }

    @Test("names the option, the declaration and the targets when an option is for others")
    func targets() throws {
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(
                source: """
                    import "google/protobuf/descriptor.proto";
                    message M { optional int32 x = 1 [targets = TARGET_TYPE_FIELD]; }
                    extend google.protobuf.EnumValueOptions {
                      optional M a = 50000;
                      optional int32 b = 50001 [targets = TARGET_TYPE_ENUM, targets = TARGET_TYPE_FILE];
                    }
                    enum E { A = 0 [(a) = { x: 1 }, (b) = 2]; }
                    """)
        }
        #expect(
            error.description == """
                main.proto:7:25: the option 'M.x' cannot be set on an enum entry (its targets: field)
                main.proto:7:39: the option 'b' cannot be set on an enum entry (its targets: enum, file)
                """)
    }

    @Test("names the option or the value and the edition when a file is of an earlier or later one")
    func editions() throws {
        func message(_ source: String) -> String? {
            let error = #expect(throws: ProtoCompilationError.self) {
                try ProtoCompiler().compile(source: source)
            }
            return error?.diagnostics.first?.description
        }
        #expect(
            message("edition = \"2023\"; option features.enforce_naming_style = STYLE2024;") == """
                main.proto:1:58: 'google.protobuf.FeatureSet.enforce_naming_style' exists only from \
                edition 2024 on
                """)
        #expect(
            message(
                """
                edition = "2024"; import "google/protobuf/java_features.proto";
                message M { option features.(pb.java).nest_in_file_class = LEGACY; }
                """) == """
                    main.proto:2:60: 'pb.JavaFeatures.NestInFileClassFeature.LEGACY' was removed in \
                    edition 2024
                    """)
        #expect(
            message(
                """
                import "google/protobuf/descriptor.proto";
                extend google.protobuf.MessageOptions {
                  optional int32 o = 50000 [feature_support = {
                    edition_removed: EDITION_PROTO2 removal_error: "use (p)"
                  }];
                }
                message M { option (o) = 1; }
                """) == "main.proto:7:26: 'o' was removed in edition PROTO2: use (p)")
    }

    @Test(
        "contains the files that are imported most",
        arguments: [
            "google/protobuf/descriptor.proto", "google/protobuf/any.proto",
            "google/protobuf/api.proto", "google/protobuf/struct.proto",
            "google/protobuf/cpp_features.proto", "google/protobuf/java_features.proto",
            "google/protobuf/go_features.proto", "google/protobuf/wrappers.proto",
            "google/rpc/error_details.proto", "google/rpc/status.proto", "google/rpc/code.proto",
            "google/rpc/http.proto", "google/rpc/context/attribute_context.proto",
            "google/rpc/context/audit_context.proto",
            "google/api/annotations.proto", "google/api/field_behavior.proto",
            "google/api/client.proto", "google/api/httpbody.proto", "google/api/resource.proto",
        ])
    func bundled(_ name: String) throws {
        #expect(try ProtoCompiler().compile([name]).file.last?.name == name)
    }

    @Test("reads each file once, and returns imports before the files that import them")
    func order() throws {
        let set = try ProtoCompiler { name in
            switch name {
            case "a": Array(#"import "b"; import "c";"#.utf8)
            case "b": Array(#"import "c"; message B { optional C c = 1; }"#.utf8)
            case "c": Array("message C {}".utf8)
            default: nil
            }
        }.compile(["a", "c"])
        #expect(set.file.map(\.name) == ["c", "b", "a"])
        #expect(set.file[1].messageType[0].field[0].typeName == ".C")
    }

    @Test("keeps comments and places")
    func comments() throws {
        let source = """
            // detached

            // leading
            message A { // trailing
            }
            """
        let file = try #require(try ProtoCompiler().compile(source: source).file.last)
        let location = try #require(file.sourceCodeInfo?.location.first { $0.path == [4, 0] })
        #expect(location.leadingDetachedComments == [" detached\n"])
        #expect(location.leadingComments == " leading\n")
        #expect(location.trailingComments == " trailing\n")
        #expect(location.span == [3, 0, 4, 1])
    }

    @Test("keeps custom options as unknown fields")
    func options() throws {
        let source = """
            import "google/protobuf/descriptor.proto";
            extend google.protobuf.FileOptions { optional int32 answer = 50000; }
            option (answer) = 42;
            option java_package = "x";
            """
        let file = try #require(try ProtoCompiler().compile(source: source).file.last)
        #expect(file.options?.javaPackage == "x")
        #expect(file.options?.unknownFields.bytes == [0x80, 0xb5, 0x18, 42])
    }
}

@Suite("A mistake in a .proto file")
struct ProtoDiagnosticTests {
    @Test(
        "is reported with its line, its column and what is expected",
        arguments: [
            (
                "message A {\n  int32 a 1;\n}",
                "main.proto:2:3: 'optional', 'required' or 'repeated' expected before the type"
            ),
            (
                "syntax = \"proto3\";\nmessage A {\n  int32 a 1;\n}",
                "main.proto:3:11: '=' expected, not '1'"
            ),
            ("message A {", "main.proto:1:12: the file ends inside a message ('}' expected)"),
            (
                "\n\nfoo",
                "main.proto:3:1: a statement such as 'message', 'enum' or 'import' expected, not 'foo'"
            ),
            ("message A {\n optional B b = 1; }", "main.proto:2:11: unknown type 'B'"),
            ("message A { reserved 3 to 2; }", "main.proto:1:22: the range ends before it starts"),
            ("/* a", "main.proto:1:1: the block comment has no end ('*/' expected)"),
            (
                "import \"a",
                "main.proto:1:8: the string has no end on its line (closing quotation mark expected)"
            ),
            ("import \"a\";", "main.proto:1:1: the imported file 'a' is not found"),
            (
                "option java_package = 1;",
                "main.proto:1:23: 'google.protobuf.FileOptions.java_package' needs a string in quotation marks"
            ),
        ])
    func text(source: String, expected: String) throws {
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: source)
        }
        #expect(error.diagnostics.first?.description == expected)
    }

    @Test("does not hide other mistakes")
    func several() throws {
        let source = """
            syntax = "proto3";
            message A {
              int32 a 1;
              int32 b = ;
              int32 c = 3;
            }
            enum { X = 0; }
            message D { int32 = 4; }
            """
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: source)
        }
        #expect(error.diagnostics.map(\.line) == [3, 4, 7, 8])
    }

    @Test("is counted up to a limit")
    func limit() throws {
        let source = String(repeating: "x;\n", count: 10_000)
        let error = try #require(throws: ProtoCompilationError.self) {
            try ProtoCompiler().compile(source: source)
        }
        #expect(error.diagnostics.count == 100)
    }
}
