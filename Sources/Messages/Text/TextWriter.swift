/// Writes protobuf's text format, one line for each field.
///
/// The time and the size are proportional to the message: text is only appended, and lines are indented by at
/// most 16 levels.
package struct TextWriter {
    private(set) var text = ""

    /// The name of the field whose value is written next.
    private var name = ""
    private var depth = 0
    /// By the address of the table.
    private var namesByTable: [UInt: [Int: String]] = [:]

    /// The most levels by which a line is indented, in this and in other formats. Without a limit, a deep
    /// message with a long list would be written with many times its size.
    package static let maxIndentedDepth = 16

    init() {}

    /// The names of the properties by their offset.
    mutating func names(of table: UnsafePointer<FieldTable>) -> [Int: String] {
        let key = UInt(bitPattern: table)
        if let names = namesByTable[key] { return names }
        let names = unsafe table.pointee.type._withUnsafeGuaranteedRef { $0.propertyNames() }
        namesByTable[key] = names
        return names
    }

    // MARK: - Fields

    /// Writes the field `name` with the one value that `describe` writes.
    mutating func field(_ name: String, _ describe: (inout TextWriter) -> Void) {
        self.name = name
        describe(&self)
    }

    mutating func value(_ text: String) { line("\(name): \(text)") }

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
