import TestSupport
import Testing

@testable import SwiftletCLI

@Suite("The line editor")
struct LineEditorTests {
    /// Sends the bytes of a terminal to an editor. Returns the actions other than `redraw`.
    private static func type(_ text: String, into editor: inout LineEditor) -> [LineEditor.Action] {
        var decoder = KeyDecoder()
        return decoder.decode(Array(text.utf8)).map { editor.receive($0) }.filter { $0 != .redraw }
    }

    private static func edited(_ text: String) -> String {
        var editor = LineEditor()
        _ = type(text, into: &editor)
        return "\(editor.textBeforeCursor)|\(editor.text.dropFirst(editor.cursor))"
    }

    private static let edits: [(keys: String, result: String)] = [
        ("abc", "abc|"), ("aäé😀", "aäé😀|"), ("abc\u{7f}", "ab|"), ("abc\u{8}d", "abd|"),
        ("abc\u{1b}[D\u{1b}[DX", "aX|bc"), ("abc\u{1}X", "X|abc"), ("abc\u{1b}[HX\u{5}Y", "XabcY|"),
        ("abc\u{1b}OHX\u{1b}OFY", "XabcY|"), ("abc\u{1b}[1~\u{1b}[3~", "|bc"),
        ("abc\u{1}\u{4}", "|bc"), ("ab cd\u{17}", "ab |"), ("ab cd\u{1b}bX", "ab X|cd"),
        ("ab cd\u{1}\u{1b}[1;5CX", "abX| cd"), ("abc\u{2}\u{b}", "ab|"), ("abc\u{2}\u{15}", "|c"),
        ("ab cd\u{17}\u{1}\u{19}", "cd|ab "), ("a\u{1b}[Z\u{0}b", "ab|"),
        ("ab\u{1b}\rcd", "ab\ncd|"), ("ab\u{1b}\rc\u{1b}[AX", "aX|b\nc"),
        ("a\u{1b}\rbc\u{1b}[A\u{1b}[BX", "a\nbX|c"), ("\u{ff}\u{1b}[99Xa", "ÿa|"),
    ]

    @Test("edits the text with keys", arguments: edits)
    func editing(keys: String, result: String) {
        #expect(Self.edited(keys) == result)
    }

    @Test("decodes keys whose bytes arrive one by one")
    func parts() {
        let bytes = Array("a😀\u{1b}[1;5D\u{1b}[3~ä\r".utf8)
        var whole = KeyDecoder()
        var single = KeyDecoder()
        let expected = whole.decode(bytes)
        #expect(
            expected == [
                .character("a"), .character("😀"), .wordLeft, .delete, .character("ä"), .enter,
            ])
        #expect(bytes.flatMap { single.decode([$0]) } == expected)
    }

    @Test("decodes a key in the same time, however many bytes follow it")
    func manyKeys() {
        let bytes = Array(String(repeating: "a", count: 1_000_000).utf8)
        func decode(inPartsOf byteCount: Int) -> () -> Void {
            {
                var decoder = KeyDecoder()
                for start in stride(from: 0, to: bytes.count, by: byteCount) {
                    _ = decoder.decode(Array(bytes[start..<start + byteCount]))
                }
            }
        }
        let ratio = ProcessorTime.ratio(
            of: decode(inPartsOf: bytes.count), to: decode(inPartsOf: 100))
        #expect(ratio < 5, "\(ratio)")
    }

    @Test("skips bytes that are not keys")
    func garbage() {
        var decoder = KeyDecoder()
        let endless =
            [UInt8(0x1b), UInt8(ascii: "[")] + Array(repeating: UInt8(ascii: "1"), count: 99)
        _ = decoder.decode(endless)
        #expect(decoder.decode([0xff, 0xc3, 0x28, UInt8(ascii: "z")]).last == .character("z"))
    }

    @Test("submits a whole text, and adds a line to an incomplete text")
    func multiLine() {
        var editor = LineEditor()
        #expect(Self.type("list\r", into: &editor) == [.submit("list")])
        let actions = Self.type("call M {\"a\": \"}\",\r\"b\": [1]}\r", into: &editor)
        #expect(actions == [.submit("call M {\"a\": \"}\",\n\"b\": [1]}")])
        #expect(editor.text == "")
    }

    @Test(
        "adds a line or submits the text as it is after changes of lines above",
        arguments: [
            ("M {\r\u{1b}[A\u{1b}[3~\u{1b}[3~\u{1b}[3~\u{1b}[3~x\r", "x"),
            ("M {\r}\u{1b}[A[\r", nil), ("M {\r\u{7f}\u{7f}\r", "M "),
            ("M {\r\u{15}\u{7f}}\r", "M {}"),
        ])
    func changedLines(keys: String, submitted: String?) {
        var editor = LineEditor()
        let actions = Self.type(keys, into: &editor)
        #expect(actions == submitted.map { [.submit($0)] } ?? [])
    }

    @Test("reads a text of many lines once, also if each line ends in Enter")
    func longText() {
        let lines = (0..<2_000).map { "{\"name\($0)\": [" }
        func type(_ lineEnd: String) -> () -> Void {
            let keys = "M " + lines.joined(separator: lineEnd)
            return {
                var editor = LineEditor()
                guard Self.type(keys, into: &editor).isEmpty else {
                    preconditionFailure("submitted")
                }
            }
        }
        // Alt and Enter adds a line and reads nothing.
        let ratio = ProcessorTime.ratio(of: type("\r"), to: type("\u{1b}\r"))
        #expect(ratio < CostlyText.maxRatio, "\(ratio)")
    }

    @Test("reads a member in the same time, however many the object has already")
    func manyMembers() {
        let added = Array((0..<500).map { "\"added\($0)\": 1, " }.joined())
        func read(after count: Int) -> () -> Void {
            let members = (0..<count).map { "\"name\($0)\": 1, " }
            let cursor = JSONCursor("{" + members.joined())
            return {
                var cursor = cursor
                for character in added { cursor.read(character) }
            }
        }
        let ratio = ProcessorTime.ratio(of: read(after: 20_000), to: read(after: 1))
        #expect(ratio < CostlyText.maxRatio, "\(ratio)")
    }

    @Test("moves through the history and back to the text that was not submitted")
    func history() {
        var editor = LineEditor()
        _ = Self.type("one\rtwo\rtwo\r \r", into: &editor)
        #expect(editor.history.entries == ["one", "two"])
        var shown: [String] = []
        for keys in ["dr", "\u{1b}[A", "\u{1b}[A", "\u{1b}[A", "\u{1b}[B", "\u{e}", "\u{e}"] {
            _ = Self.type(keys, into: &editor)
            shown.append(editor.text)
        }
        #expect(shown == ["dr", "two", "one", "one", "two", "dr", "dr"])
    }

    @Test("keeps a history with new lines and backslashes in a file")
    func historyFile() {
        var history = LineHistory()
        for text in ["a\nb", "c\\n", "d"] { history.add(text) }
        #expect(history.file == "a\\nb\nc\\\\n\nd\n")
        #expect(LineHistory(file: Array(history.file.utf8)).entries == history.entries)
    }

    @Test("reports Ctrl-C, Ctrl-D on an empty text, Tab and Ctrl-L")
    func actions() {
        var editor = LineEditor()
        #expect(Self.type("ab\u{4}", into: &editor) == [])
        #expect(Self.type("\u{3}", into: &editor) == [.interrupt("ab")])
        #expect(editor.text == "")
        #expect(Self.type("\u{4}\t\u{c}", into: &editor) == [.end, .complete, .clearScreen])
    }
}

@Suite("The drawing of an edited text")
struct LineViewTests {
    /// A terminal with `width` columns: its rows and its cursor. It supports only the escape sequences
    /// that the view uses.
    private struct Screen {
        var rows: [[Character]] = [[]]
        var row = 0
        var column = 0
        let width: Int

        mutating func write(_ text: String) {
            var rest = text[...]
            while let character = rest.popFirst() {
                switch character {
                case "\r\n":
                    column = 0
                    row += 1
                    if row == rows.count { rows.append([]) }
                case "\r": column = 0
                case "\u{1b}":
                    rest.removeFirst()
                    let digits = rest.prefix(while: \.isNumber)
                    let count = Int(digits) ?? 1
                    rest = rest[digits.endIndex...]
                    switch rest.popFirst() {
                    case "A": row -= count
                    case "C": column += count
                    case "J":
                        rows[row] = Array(rows[row].prefix(column))
                        rows = Array(rows.prefix(row + 1))
                    default: Issue.record("an unknown sequence")
                    }
                default:
                    #expect(column < width, "the terminal would wrap the line")
                    while rows[row].count <= column { rows[row].append(" ") }
                    rows[row][column] = character
                    column += 1
                }
            }
        }
    }

    private static func screen(_ texts: [(String, Int)], width: Int, height: Int = 24) -> Screen {
        var screen = Screen(width: width)
        var view = LineView(prompt: "> ")
        for (text, cursor) in texts {
            screen.write(
                view.draw(Array(text), cursor: cursor, columnCount: width, rowCount: height))
        }
        return screen
    }

    @Test("puts the cursor on its character, in any width", arguments: [3, 5, 8, 80])
    func cursor(width: Int) {
        let text = "abc\ndefghij\n"
        for cursor in 0...text.count {
            let screen = Self.screen([(text, cursor)], width: width)
            let shown = screen.rows.joined().filter { $0.isLetter }
            #expect(String(shown) == "abcdefghij")
            guard cursor < text.count, Array(text)[cursor] != "\n" else { continue }
            #expect(screen.rows[screen.row][screen.column] == Array(text)[cursor])
        }
    }

    @Test("replaces the text that was drawn before", arguments: [4, 7, 80])
    func overdrawing(width: Int) {
        let texts = [("abcdefghijklmnop\nq", 3), ("xyz\nw\nv", 5), ("ab", 1)]
        let drawn = Self.screen(texts, width: width)
        let fresh = Self.screen([("ab", 1)], width: width)
        #expect(drawn.rows == fresh.rows)
        #expect((drawn.row, drawn.column) == (fresh.row, fresh.column))
    }

    @Test("draws only the rows around the cursor if the text is higher than the terminal")
    func height() {
        let text = (1...9).map(String.init).joined(separator: "\n")
        let screen = Self.screen([(text, text.count), (text, 0)], width: 80, height: 4)
        #expect(screen.rows.count == 4)
        #expect(screen.rows[0].prefix(3) == ["> ", "1"].joined().map { $0 }[...])
    }

    @Test(
        "keeps what has not changed, and is the same as that of the whole text",
        arguments: [(3, 4), (4, 2), (5, 24), (8, 3), (80, 5)])
    func kept(width: Int, height: Int) throws {
        let chance = Chance(UInt64(width))
        func random(_ count: Int) -> Int { Int(chance.next() % UInt64(count)) }
        var (editor, view) = (LineEditor(), LineView(prompt: "> "))
        let keys: [Key] =
            [.left, .right, .up, .down, .home, .end, .backspace, .delete, .newline, .newline]
            + ["a", "b", "ё", "語", "😀", "c", "d"].map { .character($0) }
        func draw(_ view: inout LineView, _ unchangedCount: Int) -> String {
            // The number of rows that are erased is the only difference.
            _ = view.erase()
            return view.draw(
                editor.characters, unchangedCount: unchangedCount, cursor: editor.cursor,
                columnCount: width, rowCount: height)
        }
        for _ in 0..<2_000 {
            for _ in 0..<1 + random(4) { _ = editor.receive(keys[random(keys.count)]) }
            var fresh = LineView(prompt: "> ")
            let text = "\(editor.text.debugDescription) at \(editor.cursor)"
            try #require(draw(&view, editor.takeUnchangedCount()) == draw(&fresh, 0), "\(text)")
        }
    }

    @Test("costs no more for a text that arrives in parts than for the whole text")
    func cost() {
        let keys = "M {" + (0..<40_000).map { "\"name\($0)\": 1,\r" }.joined()
        var decoder = KeyDecoder()
        let decoded = decoder.decode(Array(keys.utf8))
        func type(inPartsOf count: Int) -> () -> Void {
            {
                var (editor, view) = (LineEditor(), LineView(prompt: "> "))
                for start in stride(from: 0, to: decoded.count, by: count) {
                    for key in decoded[start..<min(start + count, decoded.count)] {
                        _ = editor.receive(key)
                    }
                    _ = view.draw(
                        editor.characters, unchangedCount: editor.takeUnchangedCount(),
                        cursor: editor.cursor, columnCount: 80, rowCount: 24)
                }
            }
        }
        let ratio = ProcessorTime.ratio(
            of: type(inPartsOf: 1_000), to: type(inPartsOf: decoded.count))
        #expect(ratio < CostlyText.maxRatio, "\(ratio)")
    }

    @Test("shows words in columns")
    func columns() {
        #expect(Columns.text(of: ["a", "bbb", "cc"], columnCount: 11) == "a    bbb\ncc\n")
        #expect(Columns.text(of: ["long word"], columnCount: 4) == "long word\n")
        let many = (100..<150).map { "\($0)" }
        #expect(Columns.text(of: many, columnCount: 10).hasSuffix("and 10 more\n"))
    }

    @Test("searches in the history from the latest entry, and edits what it found")
    func search() {
        var history = LineHistory()
        for entry in ["list", "SayHello {1}", "describe", "SayHello {2}", "SayHello {2}", "help"] {
            history.add(entry)
        }
        var editor = LineEditor(history: history)
        func type(_ text: String) {
            for character in text { _ = editor.receive(.character(character)) }
        }
        type("draft")
        _ = editor.receive(.control("r"))
        #expect(editor.search?.prompt == "(search: '') ")
        #expect(editor.text == "draft")
        type("Say")
        #expect(editor.text == "SayHello {2}")
        _ = editor.receive(.control("r"))
        #expect(editor.text == "SayHello {1}")
        _ = editor.receive(.control("r"))
        #expect(editor.search?.prompt == "(no match: 'Say') ")
        #expect(editor.text == "SayHello {1}")
        for _ in 0..<3 { _ = editor.receive(.backspace) }
        #expect(editor.text == "draft")
        type("l")
        #expect(editor.text == "help")
        type("i")
        #expect(editor.text == "list")
        _ = editor.receive(.control("g"))
        #expect(editor.text == "draft")
        #expect(editor.search?.prompt == nil)
        _ = editor.receive(.control("r"))
        type("1}")
        _ = editor.receive(.home)
        #expect(editor.search?.prompt == nil)
        type("call ")
        #expect(editor.receive(.enter) == .submit("call SayHello {1}"))
        _ = editor.receive(.control("r"))
        type("desc")
        #expect(editor.receive(.enter) == .submit("describe"))
    }
}
