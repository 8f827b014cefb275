import SwiftletDynamic
import Testing

@Suite("Warnings about .proto files")
struct ProtoWarningTests {
    private static let library = #"syntax = "proto3"; package lib; message M {} enum E { Z = 0; }"#
    private static let options = #"""
        syntax = "proto3";
        package opt;
        import "google/protobuf/descriptor.proto";
        extend google.protobuf.FieldOptions { string note = 50000; }
        """#
    private static let forwarding = #"syntax = "proto3"; import public "lib.proto";"#

    private static func check(_ source: String) -> [ProtoDiagnostic] {
        let files = [
            "main.proto": source, "lib.proto": library, "opt.proto": options,
            "public.proto": forwarding,
        ]
        return ProtoCompiler { files[$0].map { Array($0.utf8) } }.check(["main.proto"])
    }

    @Test(
        "name an unused import",
        arguments: [
            (#"import "lib.proto"; message A { int32 a = 1; }"#, "lib.proto"),
            (#"import "public.proto"; message A { int32 a = 1; }"#, "public.proto"),
            (
                #"import "lib.proto"; import "opt.proto"; message A { lib.M m = 1; }"#,
                "opt.proto"
            ),
        ])
    func unused(source: String, name: String) throws {
        let warnings = Self.check("syntax = \"proto3\";\n" + source)
        let warning = try #require(warnings.first)
        #expect(warnings.count == 1)
        #expect(warning.severity == .warning)
        #expect(warning.message == "the import '\(name)' is not used")
        #expect(warning.line == 2)
    }

    @Test(
        "do not name an import that a type, an option or another file uses",
        arguments: [
            #"import "lib.proto"; message A { lib.M m = 1; }"#,
            #"import "lib.proto"; message A { map<string, lib.E> m = 1; }"#,
            #"import "public.proto"; message A { lib.M m = 1; }"#,
            #"import "lib.proto"; service S { rpc R(lib.M) returns (lib.M); }"#,
            #"import "opt.proto"; message A { int32 a = 1 [(opt.note) = "b"]; }"#,
            #"import public "lib.proto";"#,
        ])
    func used(source: String) {
        #expect(Self.check("syntax = \"proto3\";\n" + source) == [])
    }

    @Test("name a file without syntax, and no file that was only imported")
    func syntax() {
        #expect(Self.check(#"syntax = "proto2"; message A {}"#) == [])
        let warnings = Self.check("message A {}")
        #expect(warnings.map(\.message) == ["there is no 'syntax': the file is read as \"proto2\""])
    }

    @Test("are reported together with the errors of other files")
    func errors() {
        let sources = [
            "good.proto": "message A {}",
            "bad.proto": #"syntax = "proto9";"#,
        ]
        let found = ProtoCompiler { sources[$0].map { Array($0.utf8) } }
            .check(["good.proto", "bad.proto", "none.proto"])
        #expect(found.map(\.severity) == [.error, .error, .warning])
        #expect(found.map(\.file) == ["none.proto", "bad.proto", "good.proto"])
    }
}
