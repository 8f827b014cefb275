import Testing

@testable import SwiftletMessages

@Suite("Texts as bytes")
struct TextBytesTests {
    @Test("are equal if each byte is, whatever the length and the normal form")
    func equality() {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz-é漢0123456789")
        for count in alphabet.indices {
            let text = String(alphabet[..<count])
            #expect(TextBytes.areEqual(text, String(decoding: Array(text.utf8), as: UTF8.self)))
            #expect(TextBytes.areEqual(("<" + text)[...].dropFirst(), text))
            #expect(!TextBytes.areEqual(text, text + "a") && !TextBytes.areEqual(text + "a", text))
            for place in text.utf8.indices where text.utf8[place] < 0x80 {
                var other = Array(text.utf8)
                other[text.utf8.distance(from: text.utf8.startIndex, to: place)] ^= 1
                let changed = String(decoding: other, as: UTF8.self)
                #expect(!TextBytes.areEqual(text, changed))
                #expect(!TextBytes.areEqual(text[...], changed))
                #expect(TextBytes.precedes(text, changed) != TextBytes.precedes(changed, text))
            }
        }
        // Equal for Swift, because their normal form is.
        #expect("\u{e9}" == "e\u{301}" && !TextBytes.areEqual("\u{e9}", "e\u{301}"))
    }

    @Test("have a hash that depends on the ends of the texts")
    func hash() {
        func hash(_ texts: String...) -> Int {
            var hasher = Hasher()
            for text in texts { TextBytes.hash(text, into: &hasher) }
            return hasher.finalize()
        }
        #expect(hash("ab", "c") == hash("ab", "c"))
        #expect(hash("ab", "c") != hash("a", "bc"))
        #expect(hash("\u{e9}") != hash("e\u{301}"))
    }
}
