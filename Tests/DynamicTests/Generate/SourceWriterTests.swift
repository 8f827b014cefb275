import Testing

@testable import SwiftletSchema

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
