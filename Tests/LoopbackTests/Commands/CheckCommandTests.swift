import Foundation
import SwiftletDynamic
import Testing

@testable import SwiftletCLI

@Suite("swiftlet check", .timeLimit(.minutes(5)))
struct CheckCommandTests {
    @Test("prints nothing for files without mistakes")
    func correct() async throws {
        let protos = RepositoryFiles.path("Protos")
        let run = try await Program.run([
            "check", "\(protos)/helloworld.proto", "\(protos)/routeguide.proto",
        ])
        #expect(run.status == 0)
        #expect(run.output + run.errors == "")
    }

    @Test("prints errors with path, line, column and a mark, and ends with 1")
    func errors() async throws {
        let file = try TemporaryFile(
            "syntax = \"proto3\";\nmessage A {\n\tstring a = 1; Bee b = 2;\n}\n")
        let run = try await Program.run(["check", file.path])
        #expect(run.status == 1)
        #expect(
            run.errors == """
                \(file.path):3:23: error: unknown type 'Bee'
                          string a = 1; Bee b = 2;
                                        ^
                1 error

                """)
    }

    @Test("names the path of an imported file with a mistake")
    func imported() async throws {
        let folder = try TemporaryFolder()
        try folder.write("import \"inner/b.proto\";", to: "a.proto")
        try folder.write("syntax = \"proto9\";", to: "inner/b.proto")
        let run = try await Program.run(["check", "a.proto", "-I", folder.path])
        #expect(run.status == 1)
        #expect(run.errors.hasPrefix("\(folder.path)/inner/b.proto:1:10: error: unknown syntax"))
    }

    @Test("prints warnings, and ends with 1 for them only if an option requests it")
    func warnings() async throws {
        let file = try TemporaryFile("import \"google/protobuf/any.proto\";\nmessage A {}\n")
        let run = try await Program.run(["check", file.path])
        #expect(run.status == 0)
        #expect(run.errors.contains("\(file.path):1:1: warning: the import "))
        #expect(run.errors.hasSuffix("2 warnings\n"))
        let strict = try await Program.run(["check", file.path, "--warnings-as-errors"])
        #expect(strict.status == 1)
    }

    @Test("puts the mark below the column, also after tabs and wide characters")
    func mark() throws {
        let file = try TemporaryFile("\t/* ä */ x\n")
        let name = (file.path as NSString).lastPathComponent
        let folder = (file.path as NSString).deletingLastPathComponent
        let report = DiagnosticReport(directories: ProtoDirectories([folder]))
        let text = report.text(
            of: ProtoDiagnostic(file: name, line: 1, column: 18, message: "here"))
        #expect(
            text == "\(file.path):1:18: error: here\n          /* ä */ x\n                  ^")
    }
}
