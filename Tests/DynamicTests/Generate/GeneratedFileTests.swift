import Foundation
import SwiftletDynamic
import Testing

@Suite("A generated file")
struct GeneratedFileTests {
    /// Runs a test with the path of an empty directory.
    private func withDirectory(_ test: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory
            .appending(path: "swiftlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: url) }
        try test(url.path)
    }

    /// The generated file of a message. Its path ends with `fileExtension`.
    private func file(_ name: String, fileExtension: String) throws -> GeneratedFile {
        var options = GeneratorOptions()
        options.fileExtension = fileExtension
        let schema = try GeneratorSchema.schema("syntax = \"proto3\"; message M {}", name: name)
        return try #require(SwiftGenerator(options).generate(schema).first)
    }

    @Test("is written below the directory, with the directories of its path")
    func written() throws {
        try withDirectory { directory in
            let file = try file("a/b/m.proto", fileExtension: "pb.swift")
            try file.write(below: directory)
            #expect(
                try ProtoDirectories([directory]).read("a/b/m.pb.swift") == Array(file.source.utf8))
        }
    }

    @Test(
        "is not written when its path leads out of the directory",
        arguments: ["/../../evil.swift", "/./evil.swift", "//evil.swift", "swift\0", "\n.swift"])
    func outside(fileExtension: String) throws {
        try withDirectory { directory in
            let file = try file("m.proto", fileExtension: fileExtension)
            let error = #expect(throws: GeneratedFileError.self) {
                try file.write(below: directory + "/inner")
            }
            #expect(error?.reason.contains("the name of the file has a") == true)
            #expect(error?.description.utf8.allSatisfy { 0x20...0x7e ~= $0 } == true)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        }
    }

    @Test(
        "is not written when a server's name of its file leads out of the directory",
        arguments: ["../evil.proto", "/tmp/../evil.proto", "a/../../evil.proto"])
    func outsideByName(name: String) throws {
        try withDirectory { directory in
            let schema = try Schema([
                TestSchema.file(name, messages: [TestSchema.message("M", [])])
            ])
            let file = try #require(SwiftGenerator(GeneratorOptions()).generate(schema).first)
            #expect(throws: GeneratedFileError.self) { try file.write(below: directory + "/inner") }
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        }
    }
}
