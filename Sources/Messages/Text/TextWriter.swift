/// Writes protobuf's text format, one line for each field, or everything on one line.
///
/// The time and the size are proportional to the message: text is only appended, and lines are indented by at
/// most 16 levels.
package struct TextWriter {
    package private(set) var bytes: [UInt8] = []
    /// How many fields with braces are open.
    package private(set) var depth = 0
    private let isSingleLine: Bool
    private let escapesApostrophes: Bool
    /// By the address of the table.
    private var namesByTable: [UInt: [Int: String]] = [:]

    /// The most levels by which a line is indented, in this and in other formats. Without a limit, a deep
    /// message with a long list would be written with many times its size.
    package static let maxIndentedDepth = 16

    package init(isSingleLine: Bool = false, escapesApostrophes: Bool = false) {
        self.isSingleLine = isSingleLine
        self.escapesApostrophes = escapesApostrophes
    }

    package var text: String { String(decoding: bytes, as: UTF8.self) }

    /// The names of the properties by their offset.
    package mutating func names(of table: UnsafePointer<FieldTable>) -> [Int: String] {
        let key = UInt(bitPattern: table)
        if let names = namesByTable[key] { return names }
        let names = unsafe table.pointee.type._withUnsafeGuaranteedRef { $0.propertyNames() }
        namesByTable[key] = names
        return names
    }

    /// Writes a field with a value that is not quoted.
    package mutating func line(_ name: String, _ value: String) { line("\(name): \(value)") }

    /// Writes a field with a quoted, escaped string. If `isText` is true, the bytes must be UTF-8, and letters that are
    /// not ASCII are kept. Otherwise all bytes that are not ASCII are written as octal escapes.
    package mutating func quoted(_ name: String, _ value: some Sequence<UInt8>, isText: Bool) {
        line("\(name): ")
        TextFormatString.append(
            ContiguousArray(value).span, to: &bytes, isText: isText,
            escapesApostrophes: escapesApostrophes)
    }

    /// Starts a field whose value is the fields that are written up to ``close()``.
    package mutating func open(_ name: String) {
        line("\(name) {")
        depth += 1
    }

    package mutating func close() {
        depth -= 1
        line("}")
    }

    mutating func comment(_ text: String) { line("# \(text)") }

    private mutating func line(_ line: String) {
        if !bytes.isEmpty { bytes.append(UInt8(ascii: isSingleLine ? " " : "\n")) }
        let indent = isSingleLine ? 0 : min(depth, Self.maxIndentedDepth)
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * indent))
        bytes.append(contentsOf: line.utf8)
    }

    /// A float in the spelling of the text format: without `.0`, and `nan`, `inf`, `-inf`.
    static func number(_ value: some BinaryFloatingPoint & CustomStringConvertible) -> String {
        if value.isNaN { return "nan" }
        let text = value.description
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
}
