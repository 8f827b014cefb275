import Testing

@testable import SwiftletTransport

@Suite("Text from a peer that is compared")
struct WireTextTests {
    private static func marks(_ count: Int) -> String {
        "a" + String(repeating: "\u{301}", count: count)
    }

    @Test("may have 30 combining marks in a row and no more, as in Unicode's stream-safe format")
    func run() {
        #expect(WireText.hasBoundedMarks(Self.marks(30)))
        #expect(!WireText.hasBoundedMarks(Self.marks(31)))
        #expect(WireText.hasBoundedMarks(Self.marks(30) + Self.marks(30)))
        #expect(WireText.checked(Self.marks(31).utf8, upTo: 1_000) == nil)
        #expect(WireText.checked(Self.marks(30).utf8, upTo: 1_000) == Self.marks(30))
    }

    @Test("counts every scalar whose normal form begins with a mark")
    func marks() {
        for value in UInt32(0)...0x10_ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            var run = WireText.MarkRun()
            let isMark = !(0...WireText.maxMarkRun).allSatisfy { _ in run.accepts(scalar) }
            let isOrdered = scalar.properties.canonicalCombiningClass == .notReordered
            let isHidden = [0x0f73, 0x0f75, 0x0f81].contains(value)
            #expect(isMark == (!isOrdered || isHidden), "U+\(String(value, radix: 16))")
        }
    }

    @Test("is within a limit and valid UTF-8")
    func limits() {
        #expect(WireText.checked("abc".utf8, upTo: 3) == "abc")
        #expect(WireText.checked("abcd".utf8, upTo: 3) == nil)
        #expect(WireText.checked([0x61, 0xff], upTo: 3) == nil)
    }

    @Test("is compared byte by byte, whatever its length and its normal form")
    func comparison() {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz-é\u{301}漢0123456789")
        let texts = (0..<alphabet.count).map { String(alphabet[..<$0]) }
        for text in texts {
            let bytes = Array(text.utf8)
            #expect(text.hasBytes(of: String(decoding: bytes, as: UTF8.self)))
            #expect(!text.hasBytes(of: text + "a") && !(text + "a").hasBytes(of: text))
            #expect((text + "a").begins(with: bytes) && !text.begins(with: bytes + [0x61]))
            for place in bytes.indices where bytes[place] < 0x80 {
                var other = bytes
                other[place] ^= 1
                let changed = String(decoding: other, as: UTF8.self)
                #expect(!text.hasBytes(of: changed))
                #expect(!text.begins(with: other))
            }
        }
        // Equal for Swift, because their normal form is.
        #expect("\u{e9}" == "e\u{301}" && !"\u{e9}".hasBytes(of: "e\u{301}"))
    }

    @Test("loses only the marks above the limit")
    func bounded() {
        #expect(WireText.bounded("grüße") == "grüße")
        #expect(
            WireText.bounded(Self.marks(100) + "b").hasBytes(of: Self.marks(30) + "b"))
    }

    @Test("is compared with names without regard to case, byte by byte")
    func names() {
        for (text, isSame) in [
            ("close", true), ("Close", true), ("CLOSE", true), ("clos", false), ("closed", false),
            ("clo\u{17f}e", false), ("clo\u{13}e", false), ("", false),
        ] {
            #expect(
                ContiguousArray(text.utf8).span.equals(ignoringCase: "close") == isSame, "\(text)")
        }
    }
}
