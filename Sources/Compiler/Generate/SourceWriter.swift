/// Writes lines of Swift source, with the indentation and line breaks of the project's formatter.
struct SourceWriter {
    static let maxColumnCount = 100
    private static let step = 4

    private(set) var text = ""
    private var depth = 0

    /// Whether the last line opened a block, so that no empty line follows.
    private var isAtStart = true

    private var indentation: String { String(repeating: " ", count: depth * Self.step) }

    private func fits(_ line: String) -> Bool {
        depth * Self.step + line.count <= Self.maxColumnCount
    }

    /// Writes one line with indentation. An empty line has no indentation.
    mutating func line(_ line: String) {
        text += line.isEmpty ? "\n" : indentation + line + "\n"
        isAtStart = false
    }

    /// Separates declarations by an empty line. Does nothing at the start of a block.
    mutating func separate() {
        if !isAtStart { line("") }
        isAtStart = true
    }

    /// Writes `opening {`, the indented body, and `}`. When the opening is too long for a line, the brace has its own.
    mutating func block(_ opening: String, _ body: (inout SourceWriter) -> Void) {
        if fits(opening + " {") {
            line(opening + " {")
        } else {
            inheritance(opening)
            line("{")
        }
        self.body(body)
    }

    /// Writes a type with the types that it inherits. Those that do not fit are on lines below it.
    private mutating func inheritance(_ text: String) {
        let ends = text.indices.filter { [": ", ", "].contains(text[..<$0].suffix(2)) }
        guard !fits(text),
            let end = ends.last(where: { fits(String(text[..<$0].dropLast())) }) ?? ends.first
        else { return line(text) }
        line(String(text[..<end].dropLast()))
        indented { $0.fill(Self.items(text[end...]), last: "") }
    }

    /// Writes the indented body after a line that ends with `{`, and then `}`.
    mutating func body(_ body: (inout SourceWriter) -> Void) {
        indented(body)
        line("}")
    }

    /// Writes `opening { value }`, on three lines when it is too long for one.
    mutating func getter(_ opening: String, _ value: String) {
        let whole = "\(opening) { \(value) }"
        guard !fits(whole) else { return line(whole) }
        block(opening) { $0.line(value) }
    }

    private mutating func indented(_ body: (inout SourceWriter) -> Void) {
        depth += 1
        isAtStart = true
        body(&self)
        isAtStart = false
        depth -= 1
    }
}

// MARK: - Lists in parentheses

extension SourceWriter {
    /// Writes a declaration with parameters. When it is too long for a line, the parameters are on
    /// lines between the parentheses.
    ///
    /// - Parameters:
    ///   - effects: The text after the parameters, for example ` async throws`.
    ///   - result: The type of the result; nil for none. It has its own line if it does not fit.
    ///   - hasBody: Whether `{` ends the declaration.
    mutating func declaration(
        _ opening: String, _ parameters: [String], _ effects: String = "", result: String? = nil,
        hasBody: Bool = true
    ) {
        let brace = hasBody ? " {" : ""
        let ending = effects + (result.map { " -> " + $0 } ?? "") + brace
        let whole = "\(opening)(\(parameters.joined(separator: ", ")))\(ending)"
        guard !fits(whole) else { return line(whole) }
        var last = opening + "()"
        if !parameters.isEmpty {
            line(opening + "(")
            indented { $0.fill(parameters, last: "") }
            last = ")"
        }
        guard let result, !fits(last + ending) else { return line(last + ending) }
        line(last + effects)
        indented { $0.type("-> " + result) }
        if hasBody { line("{") }
    }

    /// Writes a call. When it is too long for a line, the arguments are on lines below it.
    ///
    /// - Parameters:
    ///   - opening: The expression that is called.
    ///   - arguments: The arguments, with their labels.
    ///   - ending: The text after the call, for example `.message`.
    mutating func call(_ opening: String, _ arguments: [String], ending: String = "") {
        let whole = "\(opening)(\(arguments.joined(separator: ", ")))\(ending)"
        guard !fits(whole) else { return line(whole) }
        type(opening, ending: "(")
        guard !ending.isEmpty else { return indented { $0.fill(arguments, last: ")") } }
        indented { $0.fill(arguments, last: "") }
        line(")" + ending)
    }

    /// Writes a type. When it is too long for a line, its generic arguments are on lines below it.
    private mutating func type(_ text: String, ending: String = "") {
        guard !fits(text + ending), text.hasSuffix(">"), let start = text.firstIndex(of: "<") else {
            return line(text + ending)
        }
        line(String(text[...start]))
        let arguments = text[text.index(after: start)...].dropLast()
        indented { $0.fill(Self.items(arguments), last: "") }
        line(">" + ending)
    }

    /// The items of a list of names, which are separated by `, `.
    private static func items(_ list: Substring) -> [String] {
        list.split(separator: ",").map { String($0.drop { $0 == " " }) }
    }

    /// Writes `name: type = value`. A text that is too long for a line is broken after the `=`. If the part
    /// before the value is also too long, the text is broken after the name instead.
    mutating func variable(_ text: String) {
        guard !fits(text) else { return line(text) }
        if let value = Self.end(of: " = ", in: text), fits(String(text[..<value])) {
            return broken(text, at: value)
        }
        guard let type = Self.end(of: ": ", in: text) else { return line(text) }
        broken(text, at: type)
    }

    /// Writes `name: type` for the type of a closure. Breaks the line after the name, and inside the type if
    /// necessary.
    private mutating func closure(_ text: String) {
        guard let type = Self.end(of: ": ", in: text) else { return line(text) }
        line(String(text[..<type].dropLast()))
        let rest = String(text[type...])
        indented { writer in
            guard !writer.fits(rest) else { return writer.line(rest) }
            if let result = Self.end(of: " -> ", in: rest), writer.fits(String(rest[..<result])) {
                writer.line(String(rest[..<result].dropLast()))
                writer.line(String(rest[result...]))
            } else if let effects = Self.end(of: ") ", in: rest, backwards: true) {
                writer.parenthesised(String(rest[..<effects].dropLast()))
                writer.line(String(rest[effects...]))
            } else {
                writer.line(rest)
            }
        }
    }

    /// Writes `attributes (type)`. When it is too long for a line, the type has its own line.
    private mutating func parenthesised(_ text: String) {
        let opening = text.hasPrefix("(") ? "(" : " ("
        guard !fits(text), let start = Self.end(of: opening, in: text) else { return line(text) }
        line(String(text[..<start]))
        indented { $0.type(String(text[start...].dropLast())) }
        line(")")
    }

    private mutating func broken(_ text: String, at index: String.Index) {
        line(String(text[..<index].dropLast()))
        indented { $0.line(String(text[index...])) }
    }

    /// The index after the first occurrence of `part`, or, if `backwards`, after the last; nil when there is none.
    private static func end(
        of part: String, in text: String, backwards: Bool = false
    ) -> String.Index? {
        let found = text.indices.filter { text[$0...].hasPrefix(part) }
        return (backwards ? found.last : found.first).map {
            text.index($0, offsetBy: part.count)
        }
    }

    /// Writes the items, separated by commas, as many in a line as fit, and then `last`.
    private mutating func fill(_ items: [String], last: String) {
        var current = ""
        for (index, item) in items.enumerated() {
            let piece = item + (index + 1 < items.count ? "," : last)
            if current.isEmpty {
                current = piece
            } else if fits("\(current) \(piece)") {
                current += " " + piece
            } else {
                writeItem(current)
                current = piece
            }
        }
        writeItem(current)
    }

    private mutating func writeItem(_ text: String) {
        if fits(text) {
            line(text)
        } else if text.hasSuffix("-> Void") {
            closure(text)
        } else {
            variable(text)
        }
    }
}

// MARK: - Comments

extension SourceWriter {
    /// Writes a documentation comment of these lines; nothing when there are none. Text with a newline is written
    /// as several lines, because the text after the newline would be code.
    mutating func documentation(_ lines: [String]) {
        for each in lines {
            for part in each.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
                line(part.isEmpty ? "///" : "/// \(part)")
            }
        }
    }
}
