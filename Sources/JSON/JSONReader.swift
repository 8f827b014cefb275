package import SwiftletCore
import SwiftletJSONText
import SwiftletTransport

/// Reads JSON text (RFC 8259) into a ``ConfigValue``: a service config, or a line of a recording.
///
/// A service config may come from a DNS record that anyone can write. Its size and depth are limited, a key
/// that is repeated in an object is an error, and every error gives its line and column.
package enum JSONReader {
    /// The longest service config, in bytes. It is enough for thousands of methods.
    package static let maxByteCount = 4 << 20
    /// The largest number of arrays and objects around a value. Limited because the reader calls itself for
    /// each.
    private static let maxDepth = 64

    /// Reads one value, which must fill the whole text.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - subject: The name of the text in error texts.
    ///   - firstLine: The number of the first line, for error texts.
    ///   - maxByteCount: The longest text, in bytes.
    package static func read(
        _ text: String, of subject: String = "service config", firstLine: Int = 1,
        maxByteCount: Int = Self.maxByteCount
    ) throws(RPCError) -> ConfigValue {
        guard text.utf8.count <= maxByteCount else {
            throw .refused(
                .invalidArgument,
                "the \(subject) has \(text.utf8.count) bytes (the limit is \(maxByteCount))")
        }
        var scanner = JSONScanner(Array(text.utf8), maxDepth: maxDepth)
        do throws(FormatError) {
            let value = try value(&scanner)
            try scanner.end()
            return value
        } catch {
            let line = firstLine - 1 + error.line
            throw .refused(
                .invalidArgument,
                "\(subject), line \(line), column \(error.column): \(error.message)")
        }
    }

    private static func value(_ scanner: inout JSONScanner) throws(FormatError) -> ConfigValue {
        switch try scanner.peek() {
        case .object: return try object(&scanner)
        case .list:
            var elements: [ConfigValue] = []
            try scanner.list { scanner, _ throws(FormatError) in
                elements.append(try value(&scanner))
            }
            return .array(elements)
        case .string: return .string(try scanner.string())
        // The function that reads the field converts the digits.
        case .number: return .number(try scanner.number())
        case .bool: return .bool(try scanner.bool())
        case .null:
            try scanner.null()
            return .null
        }
    }

    private static func object(_ scanner: inout JSONScanner) throws(FormatError) -> ConfigValue {
        var members: [String: ConfigValue] = [:]
        try scanner.object { scanner, key throws(FormatError) in
            let start = scanner.stringStart
            // Before the key is hashed, which would take quadratic time.
            guard WireText.hasBoundedMarks(key) else {
                throw scanner.error(
                    "the key has more than \(WireText.maxMarkRun) combining marks in a row",
                    at: start)
            }
            guard members[key] == nil else {
                throw scanner.error("the key '\(RPCError.shown(key))' is repeated", at: start)
            }
            members[key] = try value(&scanner)
        }
        return .object(members)
    }
}
