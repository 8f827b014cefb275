import Foundation
import SwiftletMessages
import Testing

@Suite("A file's description")
struct DescriptorTests {
    typealias File = Google.Protobuf.FileDescriptorProto

    static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    @Test("in the program says what the file in Protos says", arguments: File.bundled)
    func sameAsFile(_ file: File) throws {
        let name = try #require(file.name)
        let source = try String(
            contentsOf: Self.root.appending(path: "Protos/\(name)"), encoding: .utf8)
        #expect(try File(parsing: source, name: name, imports: File.bundled) == file)
    }

    /// `protoc`, where it is installed or where `PROTOC` says that it is.
    static let protoc: [String]? = {
        if let named = ProcessInfo.processInfo.environment["PROTOC"] {
            return named.split(separator: " ").map(String.init)
        }
        return FileManager.default.isExecutableFile(atPath: "/usr/bin/protoc")
            ? ["/usr/bin/protoc"] : nil
    }()

    @Test(
        "is what protoc says, octet for octet", .enabled(if: protoc != nil, "protoc is absent"),
        arguments: File.bundled)
    func sameAsProtoc(_ file: File) throws {
        let name = try #require(file.name)
        let set = try Self.described(byProtoc: name, in: "Protos")
        #expect(set.file.map { $0.encoded() } == [file.encoded()])
    }

    /// What `protoc` says of the file `name` in the folder `root`.
    private static func described(
        byProtoc name: String, in root: String
    ) throws -> Google.Protobuf.FileDescriptorSet {
        let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: output) }
        let command = try #require(protoc)
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments =
            command.dropFirst() + ["-I", root, "--descriptor_set_out", output.path, name]
        process.currentDirectoryURL = Self.root
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try .init(decoding: [UInt8](Data(contentsOf: output)))
    }

    @Test(
        "is what protoc says of a file with all that may stand in it",
        .enabled(if: protoc != nil, "protoc is absent"),
        arguments: [
            """
            message A {
              option deprecated = true;
              extensions 100 to 199, 300;
              extensions 1000 to max;
              reserved 2, 9 to 11;
              reserved "foo", 'bar';
              optional int32 a = 1 [deprecated = true];
              repeated int32 b = 3 [packed = true];
              map<string, string> labels = 4 [json_name = "x"];
              map<int32, E> _two_words_ = 5;
              optional string c = 6 [json_name = "sea", default = "d"];
              message Inner {
                reserved 536870911;
                option deprecated = false;
              }
              enum E { NONE = 0; }
            }
            """,
            """
            syntax = "proto3";
            package p.q;
            enum Aliases {
              option allow_alias = true;
              ZERO = 0;
              NULL = 0;
              reserved 5, -4 to -2, 9 to max;
              reserved "TWO", "THREE";
            }
            enum Old { option deprecated = true; OLD_ZERO = 0; }
            message B {
              reserved 1000 to max;
              optional Aliases a = 1;
              oneof c { Old d = 2; B e = 3; }
            }
            """,
        ])
    func sameAsProtoc(source: String) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(source.utf8).write(to: folder.appending(path: "a.proto"))
        let file = try File(parsing: source, name: "a.proto")
        let set = try Self.described(byProtoc: "a.proto", in: folder.path)
        #expect(set.file == [file])
        #expect(set.file.map { $0.encoded() } == [file.encoded()])
    }

    @Test("names its services and symbols")
    func names() {
        #expect(File.health.serviceNames == ["grpc.health.v1.Health"])
        #expect(
            File.helloworld.symbols == [
                "helloworld.HelloRequest", "helloworld.HelloReply", "helloworld.Greeter",
                "helloworld.Greeter.SayHello", "helloworld.Greeter.SayHelloStreamReply",
                "helloworld.Greeter.SayHelloBidiStream",
            ])
    }

    @Test("is read with all that may stand in it beside what it describes")
    func ornaments() throws {
        let source = """
            syntax = "proto3";
            option (file_option) = { a: 1 b { c: 2 } };
            message A {
              ;
              option (x).y = "z";
              int32 a = 0x10 [(gogoproto.nullable) = false, (x) = { a: 1 }, deprecated = true];
              oneof b { option (o) = 1; ; string c = 010 [json_name = 'sea']; }
              reserved 3, 5 to 7;
              extensions 4 to 100 [declaration = { number: 4, full_name: ".a.b", type: ".a" }];
            }
            enum E { ; option allow_alias = true; ZERO = 0 [(v) = { a: "};" }]; ONE = -0x1; };
            service S {
              option (s) = { a: 1 };
              rpc One(A) returns (A) {};
              rpc Two(stream A) returns (stream A) { option (m) = { get: "/" }; }
              rpc Three(A) returns (A);
              ;
            }
            """
        let file = try File(parsing: source, name: "a.proto")
        let fields = file.messageType[0].field
        #expect(
            file.messageType[0].reservedRange == [.init(start: 3, end: 4), .init(start: 5, end: 8)])
        #expect(file.messageType[0].extensionRange == [.init(start: 4, end: 101)])
        #expect(file.enumType[0].options == .init(allowAlias: true))
        #expect(fields.map(\.number) == [16, 8])
        #expect(fields[0].options?.deprecated == true)
        #expect(fields[1].jsonName == "sea")
        #expect(file.enumType[0].value.map(\.number) == [0, -1])
        #expect(file.service[0].method.map(\.name) == ["One", "Two", "Three"])
    }

    @Test(
        "is refused with the line that is wrong",
        arguments: [
            ("message A {\n  int32 a 1;\n}", 2, "'=' expected, not '1'"),
            ("message A {", 1, "the file ends too early"),
            ("\n\nfoo", 3, "'foo' is not understood"),
            ("message A { B b = 1; }", 0, "nothing is called 'B'"),
            ("message A { .foo.B b = 1; }", 0, "nothing is called '.foo.B'"),
            ("message A { int32 a = 08; }", 1, "a number expected, not '08'"),
            ("message A { reserved 3 to 2; }", 1, "3 to 2 is not a range of numbers here"),
            (
                "message A { extensions 1 to 0x7fffffff; }", 1,
                "1 to 2147483647 is not a range of numbers here"
            ),
            ("message A { reserved 0; }", 1, "0 to 0 is not a range of numbers here"),
            ("enum E { reserved -1 to -2; }", 1, "-1 to -2 is not a range of numbers here"),
            ("/* a", 1, "a comment without an end"),
            ("import \"a", 1, "a string without an end"),
        ])
    func broken(source: String, line: Int, problem: String) {
        let error = #expect(throws: ProtoSyntaxError.self) {
            try File(parsing: source, name: "a.proto")
        }
        #expect(error?.line == line)
        #expect(error?.problem == problem)
    }
}
