import Foundation
import Swiftlet
import SwiftletDynamic
import SwiftletLoopback
import Testing

@testable import SwiftletCLI

@Suite("swiftlet generate", .timeLimit(.minutes(5)))
struct GenerateCommandTests {
    private func folder() throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        try folder.write("syntax = \"proto3\"; message A {}", to: "a.proto")
        return folder
    }

    @Test("generates a file once that is named twice, and accepts both names of -I")
    func twice() async throws {
        let path = try folder()
        let once = try await Program.run(["generate", "a.proto", "-I", path.path])
        #expect(once.status == 0, "\(once.errors)")
        #expect(once.output.contains("struct A: Message"))
        for words in [
            ["a.proto", "a.proto", "--import-path", path.path],
            ["\(path.path)/a.proto", "a.proto", "--import-path=\(path.path)"],
        ] {
            let run = try await Program.run(["generate"] + words)
            #expect(run.errors == "")
            #expect(run.output == once.output)
        }
    }

    @Test("fails, and writes nothing, when a type of an imported file is not generated")
    func missingType() async throws {
        let folder = try folder()
        try folder.write(
            "syntax = \"proto3\"; import \"a.proto\"; message B { A a = 1; }", to: "b.proto")
        let output = "\(folder.path)/output"
        let generate = ["generate", "b.proto", "-I", folder.path, "--output", output]
        let run = try await Program.run(generate)
        #expect(run.status == 1)
        #expect(
            run.errors
                == "swiftlet: b.proto: B.a: its type A is declared in 'a.proto', which is not "
                + "generated; add that file (in swiftlet.json: 'files'), or name the module of its "
                + "types (--modules; in swiftlet.json: 'modules')\n")
        #expect(!FileManager.default.fileExists(atPath: output))
        let named = try await Program.run(generate + ["--modules", "a.proto=Shared"])
        #expect(named.status == 0, "\(named.errors)")
    }

    @Test(
        "refuses sources of the schema that exclude each other",
        arguments: [
            (["--reflect", "a:1", "--protoset", "s"], "--reflect and --protoset"),
            (["--reflect", "a:1", "-I", "."], "--reflect and -I"),
            (["--protoset", "s", "--import-path", "."], "--protoset and -I"),
        ])
    func exclusive(words: [String], names: String) async throws {
        let error = await #expect(throws: UsageError.self) {
            try await GenerateCommand.run(Arguments(words, of: GenerateCommand.self))
        }
        #expect(error?.message == "\(names) exclude each other")
    }

    @Test("keeps a file that it did not write, whatever names a server has, and writes nothing")
    func keptFile() async throws {
        let sources = ["Package", "other"].map { name in
            "syntax = \"proto3\"; package p; service \(name) { rpc A(M\(name)) returns (M\(name)); }"
                + "message M\(name) {}"
        }
        var files = try sources.flatMap { try ProtoCompiler().compile(source: $0).file }
        (files[0].name, files[1].name) = ("Package.proto", "other.proto")
        let services = ["p.Package", "p.other"]
        let server = try LoopbackServer { [files] server in
            server.add(ReflectionService(files: files))
        }
        let folder = try TemporaryFolder()
        let manifest = "// swift-tools-version: 6.2\n"
        try folder.write(manifest, to: "Package.swift")
        let generate =
            ["generate", "--reflect", server.target] + services + ["--output", folder.path]
        let run = try await Program.run(generate)
        #expect(run.status == 1)
        #expect(
            run.errors == "swiftlet: cannot write '\(folder.path)/Package.swift': it exists, and "
                + "`swiftlet generate` did not write it; move it, or write to another directory\n")
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Package.swift"])
        try FileManager.default.removeItem(atPath: "\(folder.path)/Package.swift")
        // The second run replaces the files of the first.
        for _ in 0..<2 {
            let run = try await Program.run(generate)
            #expect(run.status == 0, "\(run.errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count > 1)
    }

    @Test("adds up lists that are given in several options")
    func lists() throws {
        let arguments = try Arguments(
            [
                "--modules", "a.proto=A", "--modules", "b.proto=B,c.proto=C", "--faces", "blocking",
                "--faces", "futures",
            ], of: GenerateCommand.self)
        let options = try GeneratorArguments.options(arguments)
        #expect(options.modules == ["a.proto": "A", "b.proto": "B", "c.proto": "C"])
        #expect(options.faces == [.blocking, .futures])
    }

    @Test(
        "refuses a module whose name is no identifier",
        arguments: ["1x", "a-b", "a.b", "import x", ""])
    func moduleNames(name: String) throws {
        let arguments = try Arguments(
            ["--modules", "a.proto=A_1,b.proto=\(name)"], of: GenerateCommand.self)
        let error = #expect(throws: UsageError.self) {
            _ = try GeneratorArguments.options(arguments)
        }
        #expect(
            error?.message
                == "not a module: 'b.proto=\(name)' (expected FILE.proto=MODULE)")
    }

    @Test("and other commands refuse options of the schema that have no use together")
    func schemaOptions() throws {
        for (words, message) in [
            (["--proto", "a", "--protoset", "b"], "--proto and --protoset exclude each other"),
            (["--protoset", "b", "-I", "."], "-I needs --proto"),
            (["-I", "."], "-I needs --proto"),
        ] {
            let error = #expect(throws: UsageError.self) {
                _ = try SchemaOptions.localSchema(Arguments(words, of: ListCommand.self))
            }
            #expect(error?.message == message)
        }
    }
}
