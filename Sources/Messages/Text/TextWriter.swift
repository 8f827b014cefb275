/// Writes protobuf's text format, one line for each field.
///
/// The time and the size are proportional to the message: text is only appended, and lines are indented by at
/// most 16 levels.
public struct TextWriter {
    private(set) var text = ""

    /// The name of the field whose value is written next.
    private var name = ""
    private var depth = 0
    private var namesByType: [ObjectIdentifier: [Int: String]] = [:]

    /// The most levels by which a line is indented, in this and in other formats. Without a limit, a deep
    /// message with a long list would be written with many times its size.
    package static let maxIndentedDepth = 16

    init() {}

    /// The names of the properties of `message` by their offset.
    mutating func names<M: Message>(of message: M) -> [Int: String] {
        if let names = namesByType[ObjectIdentifier(M.self)] { return names }
        let names = PropertyNames.byOffset(of: message)
        namesByType[ObjectIdentifier(M.self)] = names
        return names
    }

    // MARK: - Fields

    /// Writes the field `name` with the one value that `describe` writes.
    mutating func field(_ name: String, _ describe: (inout TextWriter) -> Void) {
        self.name = name
        describe(&self)
    }

    mutating func value(_ text: String) { line("\(name): \(text)") }

    mutating func nested<M: Message>(_ message: M) {
        braces { $0.fields(of: message) }
    }

    mutating func braces(_ body: (inout TextWriter) -> Void) {
        open()
        body(&self)
        close()
    }

    mutating func open() {
        line("\(name) {")
        depth += 1
    }

    mutating func close() {
        depth -= 1
        line("}")
    }

    mutating func comment(_ text: String) { line("# \(text)") }

    /// The message in protobuf's text format.
    static func text<M: Message>(of message: M) -> String {
        var text = TextWriter()
        text.fields(of: message)
        return text.text
    }

    /// Writes the listed fields of `message`, then the unknown ones.
    ///
    /// Not specialized for each message type: this saves compile time and code size, and debug text
    /// need not be fast.
    @_semantics("optimize.sil.specialize.generic.never")
    mutating func fields<M: Message>(of message: M) {
        FieldDescriber.describe(message, &self)
        unknown(message.unknownFields)
    }

    private mutating func line(_ line: String) {
        if !text.isEmpty { text += "\n" }
        for _ in 0..<min(depth, Self.maxIndentedDepth) { text += "  " }
        text += line
    }

    // MARK: - Values

    /// Writes a quoted, escaped string. If `isText` is true, the bytes must be UTF-8, and letters that are not
    /// ASCII are kept. Otherwise all bytes that are not ASCII are written as octal escapes.
    mutating func quoted(_ bytes: some Sequence<UInt8>, isText: Bool) {
        var text: [UInt8] = []
        TextFormatString.append(
            ContiguousArray(bytes).span, to: &text, isText: isText, escapesApostrophes: false)
        value(String(decoding: text, as: UTF8.self))
    }

    /// A float in the spelling of the text format: without `.0`, and `nan`, `inf`, `-inf`.
    static func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        if value.isNaN { return "nan" }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}

extension Message {
    /// The message in protobuf's text format.
    public var debugDescription: String { TextWriter.text(of: self) }
}
