/// Cuts a stream of JSON values into whole values. Between the values there may be white space.
///
/// ```swift
/// stream.append(bytes)
/// while let value = try stream.next() { … }
/// ```
///
/// Bytes may arrive in any parts. The content of a value is checked only when the value is read.
public struct JSONValueStream: Sendable {
    private enum State {
        /// Between two values.
        case space
        /// In an object or a list.
        case nested
        /// In a string at the top level.
        case string
        /// In a number or a word at the top level. White space or another value ends it.
        case word
    }

    private let maxByteCount: Int
    private var bytes: [UInt8] = []
    /// The first byte of the value.
    private var start = 0
    /// The first byte that was not examined.
    private var index = 0
    private var state = State.space
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var line = 1
    private var column = 1

    /// - Parameter maxByteCount: The largest value in bytes. Default: 64 MiB.
    public init(maxByteCount: Int = 64 << 20) { self.maxByteCount = maxByteCount }

    /// Adds bytes that arrived.
    public mutating func append(_ more: some Sequence<UInt8>) {
        bytes.removeFirst(start)
        index -= start
        start = 0
        bytes.append(contentsOf: more)
    }

    /// The next whole value; nil when more bytes must arrive.
    ///
    /// Throws when a value is too large, or a bracket closes that was not opened. The error's line and
    /// column count from the start of the stream.
    public mutating func next() throws(FormatError) -> [UInt8]? {
        while index < bytes.count {
            let isWhole = try step(bytes[index])
            guard index - start <= maxByteCount else {
                throw error("a value has more than \(maxByteCount) bytes")
            }
            if isWhole { return take() }
        }
        return nil
    }

    /// The last value, if the end of the stream ends it; nil when there is none. Throws when the stream ends
    /// inside a value.
    public mutating func finish() throws(FormatError) -> [UInt8]? {
        if let value = try next() { return value }
        switch state {
        case .space: return nil
        case .word: return take()
        case .nested, .string: throw error("the text ends inside a value")
        }
    }

    /// Examines a byte. Returns true at the end of a value.
    private mutating func step(_ byte: UInt8) throws(FormatError) -> Bool {
        if state == .word, Self.endsWord(byte) { return true }
        advance(byte)
        switch state {
        case .space: try begin(byte)
        case .string: return isStringEnd(byte)
        case .word: break
        case .nested: return nest(byte)
        }
        return false
    }

    private mutating func begin(_ byte: UInt8) throws(FormatError) {
        if JSONScanner.isSpace(byte) {
            start = index
            return
        }
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            state = .nested
            depth = 1
        case UInt8(ascii: "\""): state = .string
        case UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"):
            column -= 1
            throw error("expected a value, found '\(Character(Unicode.Scalar(byte)))'")
        default: state = .word
        }
    }

    private mutating func nest(_ byte: UInt8) -> Bool {
        if isInString {
            if isStringEnd(byte) { isInString = false }
            return false
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
        return depth == 0
    }

    private mutating func isStringEnd(_ byte: UInt8) -> Bool {
        if isEscaped {
            isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
            isEscaped = true
        } else {
            return byte == UInt8(ascii: "\"")
        }
        return false
    }

    private static func endsWord(_ byte: UInt8) -> Bool {
        JSONScanner.isSpace(byte) || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
            || byte == UInt8(ascii: "\"")
    }

    private mutating func advance(_ byte: UInt8) {
        index += 1
        if byte == UInt8(ascii: "\n") {
            line += 1
            column = 1
        } else if byte & 0xc0 != 0x80 {
            column += 1
        }
    }

    private mutating func take() -> [UInt8] {
        let value = Array(bytes[start..<index])
        start = index
        state = .space
        return value
    }

    private func error(_ message: String) -> FormatError {
        FormatError(line: line, column: column, message: message)
    }
}
