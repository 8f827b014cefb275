/// JSON or text that is not a message of the expected type, with the place of the error.
public struct FormatError: Error, Hashable, Sendable {
    /// The place in the message, for example `a.b[3].c`; empty for the message itself.
    public var path: String
    /// The line, from 1.
    public var line: Int
    /// The column in characters, from 1.
    public var column: Int
    /// The problem, and the expected text.
    public var message: String

    /// Makes an error about the text at a line and a column.
    public init(path: String = "", line: Int, column: Int, message: String) {
        self.path = path
        self.line = line
        self.column = column
        self.message = message
    }

    /// Makes an error about the byte at `offset` of `text`.
    package init(_ message: String, at offset: Int, of text: [UInt8]) {
        var line = 1
        var column = 1
        for byte in text[..<min(offset, text.count)] {
            if byte == UInt8(ascii: "\n") {
                line += 1
                column = 1
            } else if byte & 0xc0 != 0x80 {
                column += 1
            }
        }
        self.init(line: line, column: column, message: message)
    }
}
