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
