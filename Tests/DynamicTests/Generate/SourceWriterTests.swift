import Testing

@testable import SwiftletCompiler

@Suite("A documentation comment")
struct SourceWriterTests {
    @Test(
        "has a slash on each of its lines",
        arguments: ["\n", "\r", "\r\n", "\u{b}", "\u{c}", "\u{85}", "\u{2028}", "\u{2029}"])
    func newlines(newline: String) {
        var writer = SourceWriter()
        writer.documentation(["a\(newline)EVIL", "", "b"])
        #expect(writer.text == "/// a\n/// EVIL\n///\n/// b\n")
    }
}

@Suite("A declaration with inherited types")
struct InheritanceTests {
    private static let long = String(repeating: "a", count: 85)

    @Test(
        "is broken where the formatter breaks it",
        arguments: [
            ("struct A: B, C", ["struct A: B, C {"]),
            ("struct A: \(long)bb, C", ["struct A: \(long)bb, C", "{"]),
            ("struct A: \(long)bbb, C", ["struct A: \(long)bbb,", "    C", "{"]),
            ("struct A: \(long)bbbbbb, C", ["struct A:", "    \(long)bbbbbb, C", "{"]),
        ])
    func broken(opening: String, lines: [String]) {
        var writer = SourceWriter()
        writer.block(opening) { $0.line("x") }
        #expect(writer.text == (lines + ["    x", "}", ""]).joined(separator: "\n"))
    }
}
