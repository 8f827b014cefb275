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

    @Test("refuses a file in whose place it would read another one of the same name")
    func hidden() async throws {
        let folder = try TemporaryFolder()
        try folder.write("syntax = \"proto3\";", to: "a/x.proto")
        try folder.write("broken", to: "b/x.proto")
        let (one, two) = ("\(folder.path)/a/x.proto", "\(folder.path)/b/x.proto")
        let both = try await Program.run(["check", one, two])
        #expect(both.status == 2)
        #expect(
            both.errors.hasPrefix("swiftlet: '\(two)' is hidden by '\(one)', because both have"))
        let inFolders = try await Program.run([
            "check", two, "-I", "\(folder.path)/a", "-I", "\(folder.path)/b",
        ])
        #expect(inFolders.status == 2)
        let rooted = try await Program.run(["check", one, two, "-I", folder.path])
        #expect(rooted.status == 1, "both are read")
    }

    @Test("accepts a path however it is written")
    func spellings() throws {
        for (file, directories, name) in [
            ("p/x.proto", ["p"], "x.proto"), ("./p//x.proto", ["./p/"], "x.proto"),
            ("x.proto", ["./p"], "x.proto"), ("./p/x.proto", ["."], "p/x.proto"),
            ("././p/x.proto", [], "x.proto"), ("/r//p/x.proto", ["/r"], "p/x.proto"),
        ] {
            #expect(try ProtoArguments([file], in: directories).names == [name], "\(file)")
        }
    }

    @Test("prints a part of a line that is very long")
    func longLine() async throws {
        let padding = String(repeating: " ", count: 100_000)
        let file = try TemporaryFile(
            "syntax = \"proto3\"; message A {\(padding)Bee b = 2;\(padding)}")
        let run = try await Program.run(["check", file.path])
        #expect(run.status == 1)
        #expect(run.errors.utf8.count < 2_000)
        let lines = run.errors.split(separator: "\n")
        #expect(lines.count == 4)
        let width = lines[2].prefix { $0 == " " }.count
        #expect(lines[1].dropFirst(width).hasPrefix("Bee b = 2;"))
    }

    @Test("names the reason why a file cannot be read, for an import at its place")
    func unreadable() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path
        try folder.write("", to: "folder.proto/x")
        try folder.write("", to: "large.proto")
        let size = off_t(ProtoDirectories.maxFileByteCount) + 1
        #expect(unsafe truncate("\(path)/large.proto", size) == 0)
        #expect(unsafe mkfifo("\(path)/pipe.proto", 0o600) == 0)
        #expect(unsafe symlink("loop.proto", "\(path)/loop.proto") == 0)
        for (name, reason) in [
            ("folder", "it is a folder, not a file"),
            ("large", "it has 67108865 bytes (at most 67108864 are allowed); split it"),
            ("pipe", "it is not a regular file; copy its content to one"),
            ("loop", "Too many levels of symbolic links"),
        ] {
            let problem = "cannot read '\(path)/\(name).proto': \(reason)\n"
            let run = try await Program.run(["check", "\(path)/\(name).proto"])
            #expect(run.status == 1)
            #expect(run.errors == "\(name).proto: error: \(problem)1 error\n")

            try folder.write("import \"\(name).proto\";", to: "import.proto")
            let imported = try await Program.run(["check", "\(path)/import.proto"])
            #expect(imported.status == 1)
            #expect(
                imported.errors.contains(
                    "/import.proto:1:1: error: '\(name).proto' cannot be imported: \(problem)"),
                "\(imported.errors)")
        }
        // A folder of the same name does not hide a file of another directory.
        try folder.write("syntax = \"proto3\";", to: "b/folder.proto")
        let run = try await Program.run(
            ["check", "folder.proto", "-I", path, "-I", "\(path)/b"])
        #expect(run.status == 0, "\(run.errors)")
    }

    @Test("prints characters that cannot be seen by their numbers, and the mark below the column")
    func invisible() async throws {
        let file = try TemporaryFile(
            "syntax = \"proto3\"; /* \u{202e}\u{200b}\u{1b}\u{feff}\u{85} é\u{301} */ Bee\n")
        let run = try await Program.run(["check", file.path])
        let lines = run.errors.split(separator: "\n")
        let shown =
            "  syntax = \"proto3\"; /* \\u{202e}\\u{200b}\\u{1b}\\u{feff}\\u{85} é\u{301} */ Bee"
        try #require(lines.count == 4)
        #expect(lines[1] == shown)
        #expect(lines[2].count == shown.count - 2, "\(run.errors)")
        #expect(!run.errors.unicodeScalars.contains { $0.properties.generalCategory == .format })
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
