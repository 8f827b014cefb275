import SwiftletMessages
import Testing

@Suite("The escaping of quoted text")
struct QuotedTextTests {
    private static let scalars = (0...0x10ffff).compactMap { Unicode.Scalar(UInt32($0)) }

    @Test("hides the characters of the categories control, format, line and paragraph separator")
    func categories() {
        let wrong = Self.scalars.filter { scalar in
            let isHidden =
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator: true
                default: false
                }
            return QuotedText.isHidden(scalar) != isHidden
        }
        #expect(wrong == [])
    }

    @Test("finds every hidden character in UTF-8, and keeps every other one")
    func coverage() {
        var text: [UInt8] = []
        var expected: [Unicode.Scalar] = []
        var kept: [UInt8] = []
        for scalar in Self.scalars {
            let utf8 = String(Character(scalar)).utf8
            text += utf8
            if QuotedText.isHidden(scalar) || "\"'\\".unicodeScalars.contains(scalar) {
                expected.append(scalar)
            } else {
                kept += utf8
            }
        }
        var found: [Unicode.Scalar] = []
        var output: [UInt8] = []
        QuotedText.append(text.span, to: &output) { scalar, _ in found.append(scalar) }
        #expect(found == expected)
        #expect(output == kept)
    }
}
