import SwiftletMessages

/// Writes messages as JSON.
struct JSONWriter {
    private(set) var text: [UInt8] = []
    let pool: SchemaPool
    let options: JSONWritingOptions
    /// How many objects and lists are open.
    private var depth = 0
    /// How much deeper messages may be nested. This counts messages inside an `Any` too: the limit of the
    /// decoder ends at an `Any`, whose content is bytes for it.
    private(set) var messageDepthLeft: Int

    init(pool: SchemaPool, options: JSONWritingOptions) {
        self.pool = pool
        self.options = options
        messageDepthLeft = options.maxDepth
    }

    // MARK: Structure

    mutating func append(_ string: String) { text.append(contentsOf: string.utf8) }

    mutating func appendQuoted(_ string: String) { JSONString.append(string, to: &text) }

    /// Writes an object or a list: the brackets, and the commas and lines between its items.
    mutating func items<Failure: Error>(
        _ brackets: (String, String),
        _ body: (inout JSONWriter, inout Bool) throws(Failure) -> Void
    ) throws(Failure) {
        append(brackets.0)
        depth += 1
        var isFirst = true
        try body(&self, &isFirst)
        depth -= 1
        if !isFirst { newLine() }
        append(brackets.1)
    }

    /// Starts an item.
    mutating func startItem(_ isFirst: inout Bool) {
        if !isFirst { append(",") }
        isFirst = false
        newLine()
    }

    mutating func startMember(_ name: String, _ isFirst: inout Bool) {
        startItem(&isFirst)
        appendQuoted(name)
        append(options.isIndented ? ": " : ":")
    }

    private mutating func newLine() {
        guard options.isIndented else { return }
        text.append(UInt8(ascii: "\n"))
        for _ in 0..<min(depth, TextWriter.maxIndentedDepth) { append("  ") }
    }

    // MARK: Messages

    /// Writes a message in the JSON form of its type.
    mutating func write(_ message: DynamicMessage) throws(DynamicError) {
        if let wellKnown = message.schema.wellKnown {
            try write(message, as: wellKnown)
        } else {
            try items(("{", "}")) { writer, isFirst throws(DynamicError) in
                try writer.members(of: message, &isFirst)
            }
        }
    }

    /// Writes a message inside the current message.
    mutating func nested(_ message: DynamicMessage) throws(DynamicError) {
        // The value of a `google.protobuf.Value` is written in its place, so it is not deeper.
        let cost = message.schema.wellKnown == .value ? 0 : 1
        guard messageDepthLeft >= cost else {
            throw DynamicError(
                path: "",
                message: """
                    messages are nested more than \(options.maxDepth) deep; to write them, raise \
                    JSONWritingOptions.maxDepth
                    """)
        }
        messageDepthLeft -= cost
        try write(message)
        messageDepthLeft += cost
    }

    /// Writes the fields of a message as members of the current object.
    mutating func members(
        of message: DynamicMessage, _ isFirst: inout Bool
    ) throws(DynamicError) {
        guard options.emitsDefaults else {
            for (field, value) in message.presentFields { try member(field, value, &isFirst) }
            return
        }
        for field in message.schema.fields.inOrder(by: { $0.number < $1.number }) {
            if let value = message.contents.value(field.number) {
                try member(field, value, &isFirst)
            } else if !field.hasPresence {
                try member(field, field.defaultValue, &isFirst)
            }
        }
        for (field, value) in message.presentFields where field.isExtension {
            try member(field, value, &isFirst)
        }
    }

    private mutating func member(
        _ field: FieldSchema, _ value: DynamicValue, _ isFirst: inout Bool
    ) throws(DynamicError) {
        let keepsName = options.preservesNames && !field.isExtension
        startMember(keepsName ? field.name : field.jsonName, &isFirst)
        do throws(DynamicError) { try write(value, of: field) } catch {
            throw error.inside(field.name)
        }
    }

    /// - Parameter inBrackets: How the path of an error shows the key of a map.
    mutating func write(
        _ value: DynamicValue, of field: FieldSchema, inBrackets: Bool = true
    ) throws(DynamicError) {
        switch value {
        case .list(let values):
            try items(("[", "]")) { writer, isFirst throws(DynamicError) in
                for (index, value) in values.enumerated() {
                    writer.startItem(&isFirst)
                    do throws(DynamicError) { try writer.single(value, field) } catch {
                        throw error.inside("[\(index)]")
                    }
                }
            }
        case .map(let values):
            guard let valueField = field.mapValue else { return }
            try items(("{", "}")) { writer, isFirst throws(DynamicError) in
                for (key, value) in values.inOrder(by: { $0.key < $1.key }) {
                    writer.startMember(key.text, &isFirst)
                    do throws(DynamicError) { try writer.single(value, valueField) } catch {
                        throw error.inside(inBrackets ? "[\(key.text)]" : key.text)
                    }
                }
            }
        default: try single(value, field)
        }
    }

    /// Writes one value.
    mutating func single(
        _ value: DynamicValue, _ field: FieldSchema
    ) throws(DynamicError) {
        switch value {
        case .bool(let value): append(value ? "true" : "false")
        case .int32(let value): append("\(value)")
        case .uint32(let value): append("\(value)")
        // 64-bit integers are written as strings: JavaScript numbers are exact only up to 53 bits.
        case .int64(let value): append("\"\(value)\"")
        case .uint64(let value): append("\"\(value)\"")
        case .float(let value): append(Self.number(value))
        case .double(let value): append(Self.number(value))
        case .string(let value): appendQuoted(value)
        case .bytes(let value): append("\"\(Base64Text.encode(value))\"")
        case .enumeration(let number): enumeration(number, field.enumeration)
        case .message(let message): try nested(message)
        case .list, .map: throw DynamicError(path: "", message: "a list inside a list")
        }
    }

    private mutating func enumeration(_ number: Int32, _ schema: EnumSchema?) {
        if schema?.isNullValue == true {
            append("null")
        } else if !options.writesEnumsAsNumbers, let name = schema?.name(number) {
            appendQuoted(name)
        } else {
            append("\(number)")
        }
    }

    private static func number(
        _ value: some BinaryFloatingPoint & CustomStringConvertible
    ) -> String {
        if value.isNaN { return "\"NaN\"" }
        if value.isInfinite { return value < 0 ? "\"-Infinity\"" : "\"Infinity\"" }
        return JSONNumber.text(value)
    }
}

extension DynamicMapKey {
    /// The key as the name of a member.
    var text: String {
        switch self {
        case .bool(let value): "\(value)"
        case .int32(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .uint64(let value): "\(value)"
        case .string(let value): value
        }
    }
}
