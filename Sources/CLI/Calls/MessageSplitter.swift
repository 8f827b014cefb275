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
    /// The most bytes that protobuf allows in a message.
    static let maxMessageByteCount = Int(Int32.max)

    private var form: Form
    private var buffer: [UInt8] = []
    /// The first byte of the next message. The bytes before it are deleted when more bytes arrive.
    private var start = 0
    /// The bytes before this index were examined: they contain no end of the next text.
    private var examined = 0

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
            // Releases the other reference, so that the appended-to bytes are not copied.
            form = .whole
            stream.append(bytes)
            form = .json(stream)
        } else {
            buffer.removeFirst(start)
            examined -= start
            start = 0
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

    /// The bytes that were not returned as messages.
    private var rest: ArraySlice<UInt8> { buffer[start...] }

    /// Moves to the next message.
    private mutating func advance(to index: Int) {
        start = index
        examined = index
    }

    /// The last message, after all input was appended; nil when none is left. Throws when the input
    /// ends inside a message.
    mutating func finish() throws -> [UInt8]? {
        switch form {
        case .json(var stream):
            defer { form = .json(stream) }
            return try stream.finish()
        case .text where rest.allSatisfy(Self.isSpace): return nil
        case .delimited:
            guard rest.isEmpty else {
                throw InputError(description: "the input ends inside a message")
            }
            return nil
        case .text, .whole:
            defer { advance(to: buffer.count) }
            return rest.isEmpty ? nil : Array(rest)
        }
    }

    private mutating func nextText() throws -> [UInt8]? {
        guard let end = buffer[examined...].firstIndex(of: Self.separator) else {
            examined = buffer.count
            try checkSize(rest.count)
            return nil
        }
        defer { advance(to: end + 1) }
        return Array(buffer[start..<end])
    }

    private mutating func nextDelimited() throws -> [UInt8]? {
        var (count, shift) = (0, 0)
        for index in rest.indices {
            guard shift < 35 else { break }
            let byte = buffer[index]
            count |= Int(byte & 0x7f) << shift
            shift += 7
            guard byte & 0x80 == 0 else { continue }
            try checkSize(count)
            let range = index + 1..<index + 1 + count
            guard buffer.count >= range.upperBound else { return nil }
            defer { advance(to: range.upperBound) }
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
