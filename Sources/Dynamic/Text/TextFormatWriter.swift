import SwiftletMessages

/// Writes messages in the text format.
struct TextFormatWriter {
    private var lines: TextWriter
    private let options: TextWritingOptions

    /// The depth of braces from which an `Any` is no longer expanded. Text of this depth can be read with the
    /// default options.
    private static let maxExpandedDepth = 100

    init(options: TextWritingOptions) {
        self.options = options
        lines = TextWriter(isSingleLine: options.isSingleLine, escapesApostrophes: true)
    }

    var text: String {
        lines.bytes.isEmpty || options.isSingleLine ? lines.text : lines.text + "\n"
    }

    /// Writes a field `name { … }`. The content of an `Any` has braces of its own.
    private mutating func braced(_ name: String, _ body: (inout TextFormatWriter) -> Void) {
        lines.open(name)
        body(&self)
        lines.close()
    }

    // MARK: Fields

    mutating func fields(of message: DynamicMessage) {
        if let content = expanded(message) {
            braced("[\(content.url)]") { $0.fields(of: content.message) }
        } else {
            for (field, value) in message.presentFields { self.field(field, value) }
        }
        guard options.writesUnknownFields, !message.unknownFields.isEmpty else { return }
        unknown(UnknownField.all(in: message.unknownFields))
    }

    /// The content of an `Any`, if it can be written and read back as its fields.
    ///
    /// The limit of the decoder ends at an `Any`, whose content is bytes for it. So the depth is limited here.
    private func expanded(_ message: DynamicMessage) -> AnyContent? {
        guard options.expandsAny, message.schema.wellKnown == .any,
            lines.depth < Self.maxExpandedDepth,
            let content = try? AnyContent(
                message, maxDepth: Self.maxExpandedDepth - lines.depth - 1),
            TextScanner.isURL(content.url)
        else { return nil }
        return content
    }

    private mutating func field(_ field: FieldSchema, _ value: DynamicValue) {
        let name = field.textName
        switch value {
        case .list(let values): for value in values { single(name, value, field) }
        case .map(let values):
            guard let keyField = field.mapKey, let valueField = field.mapValue else { return }
            for (key, value) in values.inOrder(by: { $0.key < $1.key }) {
                braced(name) { writer in
                    writer.single("key", key.value, keyField)
                    writer.single("value", value, valueField)
                }
            }
        default: single(name, value, field)
        }
    }

    private mutating func single(_ name: String, _ value: DynamicValue, _ field: FieldSchema) {
        switch value {
        case .message(let message): braced(name) { $0.fields(of: message) }
        case .bool(let value): lines.line(name, "\(value)")
        case .int32(let value): lines.line(name, "\(value)")
        case .int64(let value): lines.line(name, "\(value)")
        case .uint32(let value): lines.line(name, "\(value)")
        case .uint64(let value): lines.line(name, "\(value)")
        case .float(let value): lines.line(name, Self.number(value))
        case .double(let value): lines.line(name, Self.number(value))
        case .string(let value): lines.quoted(name, value.utf8, isText: true)
        case .bytes(let value): lines.quoted(name, value, isText: false)
        case .enumeration(let number):
            lines.line(name, field.enumeration?.name(number) ?? "\(number)")
        case .list, .map: assertionFailure("not a single value")
        }
    }

    private static func number(
        _ value: some BinaryFloatingPoint & CustomStringConvertible
    ) -> String {
        if value.isNaN { return "nan" }
        if value.isInfinite { return value < 0 ? "-inf" : "inf" }
        return JSONNumber.text(value)
    }

    // MARK: Unknown fields

    private mutating func unknown(_ fields: [UnknownField]) {
        for field in fields {
            let name = "\(field.number)"
            switch field.value {
            case .varint(let value): lines.line(name, "\(value)")
            case .fixed32(let value): lines.line(name, Self.hex(UInt64(value), 8))
            case .fixed64(let value): lines.line(name, Self.hex(value, 16))
            case .bytes(let bytes): lines.quoted(name, bytes, isText: false)
            case .fields(let fields): braced(name) { $0.unknown(fields) }
            }
        }
    }

    private static func hex(_ value: UInt64, _ count: Int) -> String {
        let digits = String(value, radix: 16)
        return "0x" + String(repeating: "0", count: count - digits.utf8.count) + digits
    }
}
