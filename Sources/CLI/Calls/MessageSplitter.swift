import SwiftletDynamic

/// Splits input into messages. The input may arrive in parts of any size.
struct MessageSplitter: Sendable {
    private enum Form {
        case json(JSONValueStream)
        /// Texts that are separated by U+001E.
        case text
        /// Messages that are preceded by their length.
        case delimited
        /// The whole input is one message.
        case whole
    }

    private static let separator = UInt8(0x1e)
    private static let maxMessageByteCount = 64 << 20

    private var form: Form
    private var buffer: [UInt8] = []

    init(_ format: MessageFormat, isStream: Bool) {
        form =
            switch format.name {
            case .json: .json(JSONValueStream(maxByteCount: Self.maxMessageByteCount))
            case .text: .text
            case .binary: isStream ? .delimited : .whole
            }
    }

    mutating func append(_ bytes: [UInt8]) {
        if case .json(var stream) = form {
            stream.append(bytes)
            form = .json(stream)
        } else {
            buffer += bytes
        }
    }

    /// The next whole message; nil when more bytes must arrive.
    mutating func next() throws -> [UInt8]? {
        switch form {
        case .json(var stream):
            defer { form = .json(stream) }
            return try stream.next()
        case .text: return try nextText()
        case .delimited: return try nextDelimited()
        case .whole:
            try checkSize(buffer.count)
            return nil
        }
    }

    /// The last message, after all input was appended; nil when none is left. Throws when the input
    /// ends inside a message.
    mutating func finish() throws -> [UInt8]? {
        switch form {
        case .json(var stream):
            defer { form = .json(stream) }
            return try stream.finish()
        case .text where buffer.allSatisfy(Self.isSpace): return nil
        case .delimited:
            guard buffer.isEmpty else {
                throw InputError(description: "the input ends inside a message")
            }
            return nil
        case .text, .whole:
            defer { buffer = [] }
            return buffer.isEmpty ? nil : buffer
        }
    }

    private mutating func nextText() throws -> [UInt8]? {
        guard let end = buffer.firstIndex(of: Self.separator) else {
            try checkSize(buffer.count)
            return nil
        }
        defer { buffer.removeSubrange(...end) }
        return Array(buffer[..<end])
    }

    private mutating func nextDelimited() throws -> [UInt8]? {
        var (count, shift) = (0, 0)
        for (index, byte) in buffer.enumerated() {
            guard shift < 35 else { break }
            count |= Int(byte & 0x7f) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            try checkSize(count)
            let range = index + 1..<index + 1 + count
            guard buffer.count >= range.upperBound else { return nil }
            defer { buffer.removeSubrange(..<range.upperBound) }
            return Array(buffer[range])
        }
        try checkSize(shift < 35 ? 0 : .max)
        return nil
    }

    private func checkSize(_ byteCount: Int) throws {
        guard byteCount <= Self.maxMessageByteCount else {
            throw InputError(
                description: "a message has more than \(Self.maxMessageByteCount) bytes")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (9...13).contains(byte) }
}

/// The error for input that is not a sequence of messages.
struct InputError: Error, CustomStringConvertible {
    var description: String
}
