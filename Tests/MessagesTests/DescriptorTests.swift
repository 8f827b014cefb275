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
        let output = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: output) }
        let command = try #require(Self.protoc)
        let process = Process()
        process.executableURL = URL(filePath: command[0])
        process.arguments =
            command.dropFirst() + ["-I", "Protos", "--descriptor_set_out", output.path, name]
        process.currentDirectoryURL = Self.root
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        let set = try Google.Protobuf.FileDescriptorSet(
            decoding: [UInt8](Data(contentsOf: output)))
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
