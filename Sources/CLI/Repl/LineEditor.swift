/// A text that is edited by keys, with a cursor. Does no input or output.
struct LineEditor {
    /// The action that the caller must perform after it has passed a key to the editor.
    enum Action: Equatable {
        case none
        /// The text or the cursor changed.
        case redraw
        /// The text was submitted. The editor is empty.
        case submit(String)
        /// The caller must complete the text before the cursor.
        case complete
        /// Ctrl-C: the text was discarded.
        case interrupt(String)
        /// Ctrl-D on an empty text.
        case end
        /// Ctrl-L.
        case clearScreen
    }

    private(set) var characters: [Character] = []
    /// The index of the character after the cursor.
    private(set) var cursor = 0
    var history: LineHistory
    /// The search in the history; nil while there is none.
    private(set) var search: HistorySearch?
    /// While one is open, Enter adds a new line. Otherwise it submits the text.
    private var brackets = OpenBrackets()
    private var removed: [Character] = []
    /// How many characters at the start of the text have not changed since it was drawn.
    private var unchangedCount = 0

    var text: String { String(characters) }
    var textBeforeCursor: String { String(characters[..<cursor]) }

    init(history: LineHistory = LineHistory()) {
        self.history = history
    }
}

// MARK: - Keys

extension LineEditor {
    mutating func receive(_ key: Key) -> Action {
        if let action = receiveInSearch(key) { return action }
        switch key {
        case .character(let character): insert([character])
        case .newline: insert(["\n"])
        case .enter: return enter()
        case .endOfText: return characters.isEmpty ? .none : submit()
        case .tab: return .complete
        case .backspace, .control("h"): remove(from: cursor - 1, to: cursor)
        case .delete: remove(from: cursor, to: cursor + 1)
        case .left, .control("b"): cursor = max(0, cursor - 1)
        case .right, .control("f"): cursor = min(characters.count, cursor + 1)
        case .wordLeft: cursor = wordStart
        case .wordRight: cursor = wordEnd
        case .home, .control("a"): cursor = lineStart(of: cursor)
        case .end, .control("e"): cursor = lineEnd(of: cursor)
        case .up, .control("p"): moveUp()
        case .down, .control("n"): moveDown()
        case .control(let letter): return receive(control: letter)
        }
        return .redraw
    }

    private mutating func receive(control letter: Character) -> Action {
        switch letter {
        case "c":
            defer { clear() }
            return .interrupt(text)
        case "d" where characters.isEmpty: return .end
        case "d": remove(from: cursor, to: cursor + 1)
        case "k": cut(from: cursor, to: lineEnd(of: cursor))
        case "u": cut(from: lineStart(of: cursor), to: cursor)
        case "w": cut(from: wordStart, to: cursor)
        case "y": insert(removed)
        case "r": search = HistorySearch(history, draft: text)
        case "l": return .clearScreen
        default: return .none
        }
        return .redraw
    }

    private mutating func enter() -> Action {
        brackets.read(characters)
        guard brackets.isEmpty else {
            insert(["\n"])
            return .redraw
        }
        return submit()
    }

    private mutating func submit() -> Action {
        let entered = text
        history.add(entered)
        clear()
        return .submit(entered)
    }

    private mutating func clear() {
        replaceAll(with: "")
        history.leave()
    }
}

// MARK: - Searching

extension LineEditor {
    /// Passes a key to the search. Nil without a search, and for a key that ends it: the key then acts on the text
    /// that was found.
    private mutating func receiveInSearch(_ key: Key) -> Action? {
        guard var search else { return nil }
        switch key {
        case .character(let character): search.append(character)
        case .backspace, .control("h"): search.removeLast()
        case .control("r"): search.findOlder()
        case .control("g"), .control("c"):
            self.search = nil
            replaceAll(with: search.draft)
            return .redraw
        default:
            self.search = nil
            return nil
        }
        self.search = search
        replaceAll(with: search.found)
        return .redraw
    }
}

// MARK: - Changes

extension LineEditor {
    /// Inserts text at the cursor.
    mutating func insert(_ text: some Collection<Character>) {
        willChange(after: cursor)
        characters.insert(contentsOf: text, at: cursor)
        cursor += text.count
    }

    /// Replaces the last characters before the cursor.
    mutating func replace(last count: Int, with text: String) {
        remove(from: cursor - count, to: cursor)
        insert(Array(text))
    }

    private mutating func remove(from start: Int, to end: Int) {
        let range = max(0, start)..<min(characters.count, max(end, 0))
        guard !range.isEmpty else { return }
        willChange(after: range.lowerBound)
        characters.removeSubrange(range)
        cursor = range.lowerBound
    }

    /// Removes text that Ctrl-Y inserts again.
    private mutating func cut(from start: Int, to end: Int) {
        guard start < end else { return }
        removed = Array(characters[start..<end])
        remove(from: start, to: end)
    }

    private mutating func replaceAll(with text: String) {
        willChange(after: 0)
        characters = Array(text)
        cursor = characters.count
    }

    /// Lets the next Enter read the text from its start if a character that was read changes.
    private mutating func willChange(after index: Int) {
        if index < brackets.count { brackets = OpenBrackets() }
        unchangedCount = min(unchangedCount, index)
    }

    /// Returns how many characters at the start of the text have not changed since the last call.
    mutating func takeUnchangedCount() -> Int {
        defer { unchangedCount = characters.count }
        return unchangedCount
    }
}

// MARK: - Movements

extension LineEditor {
    private func lineStart(of index: Int) -> Int {
        characters[..<index].lastIndex(of: "\n").map { $0 + 1 } ?? 0
    }

    private func lineEnd(of index: Int) -> Int {
        characters[index...].firstIndex(of: "\n") ?? characters.count
    }

    private var wordStart: Int {
        var index = cursor
        while index > 0, !characters[index - 1].isPartOfWord { index -= 1 }
        while index > 0, characters[index - 1].isPartOfWord { index -= 1 }
        return index
    }

    private var wordEnd: Int {
        var index = cursor
        while index < characters.count, !characters[index].isPartOfWord { index += 1 }
        while index < characters.count, characters[index].isPartOfWord { index += 1 }
        return index
    }

    /// Moves the cursor to the line above. If the cursor is in the first line, shows the previous entry of
    /// the history.
    private mutating func moveUp() {
        let start = lineStart(of: cursor)
        guard start > 0 else {
            if let older = history.older(than: text) { replaceAll(with: older) }
            return
        }
        let above = lineStart(of: start - 1)
        cursor = min(above + cursor - start, start - 1)
    }

    private mutating func moveDown() {
        let end = lineEnd(of: cursor)
        guard end < characters.count else {
            if let newer = history.newer() { replaceAll(with: newer) }
            return
        }
        cursor = min(end + 1 + cursor - lineStart(of: cursor), lineEnd(of: end + 1))
    }
}

extension Character {
    fileprivate var isPartOfWord: Bool { isLetter || isNumber || self == "_" }
}
