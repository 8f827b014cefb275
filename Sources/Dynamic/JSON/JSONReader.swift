import SwiftletMessages

/// Reads JSON into messages by their schema.
struct JSONReader {
    var scanner: JSONScanner
    let pool: SchemaPool
    let options: JSONReadingOptions

    init(_ bytes: [UInt8], pool: SchemaPool, options: JSONReadingOptions) throws(FormatError) {
        scanner = JSONScanner(bytes, maxDepth: options.maxDepth)
        self.pool = pool
        self.options = options
        guard bytes.count <= options.maxByteCount else {
            throw scanner.error(
                "the text has \(bytes.count) bytes, more than \(options.maxByteCount)")
        }
    }

    /// Reads the whole text as one message.
    mutating func whole(into message: inout DynamicMessage) throws(FormatError) {
        try read(into: &message)
        try scanner.end()
    }

    /// Reads a message: a well-known type in its special JSON form, any other message as an object.
    mutating func read(into message: inout DynamicMessage) throws(FormatError) {
        if let wellKnown = message.schema.wellKnown {
            try read(wellKnown, into: &message)
        } else {
            try members(of: &message, passingOver: nil)
        }
    }

    /// Reads the members of an object as fields, except the member with the name `passedOver`.
    mutating func members(
        of message: inout DynamicMessage, passingOver passedOver: String?
    ) throws(FormatError) {
        var seen: Set<Int> = []
        try object { reader, name throws(FormatError) in
            if let passedOver, DeclaredName.isSame(name, passedOver) {
                return try reader.scanner.skipValue()
            }
            guard let field = reader.field(name, of: message.schema) else {
                guard reader.options.ignoresUnknownFields else {
                    throw reader.scanner.error(
                        "\(message.schema.fullName) has no field '\(name)'"
                    ).inside(name)
                }
                return try reader.scanner.skipValue()
            }
            do throws(FormatError) {
                guard seen.insert(field.index).inserted else {
                    throw reader.scanner.error("the field occurs twice")
                }
                try reader.member(field, of: &message)
            } catch {
                throw error.inside(name)
            }
        }
    }

    /// Reads an object. Calls `member` for each member, with a reader at its value and with its
    /// name.
    mutating func object(
        _ member: (inout JSONReader, String) throws(FormatError) -> Void
    ) throws(FormatError) {
        var reader = self
        try scanner.object { scanner, name throws(FormatError) in
            reader.scanner = scanner
            defer { scanner = reader.scanner }
            try member(&reader, name)
        }
    }

    /// Reads a list. Calls `element` for each element, with a reader at its value and with its
    /// index.
    mutating func list(
        _ element: (inout JSONReader, Int) throws(FormatError) -> Void
    ) throws(FormatError) {
        var reader = self
        try scanner.list { scanner, index throws(FormatError) in
            reader.scanner = scanner
            defer { scanner = reader.scanner }
            try element(&reader, index)
        }
    }

    private func field(_ name: String, of message: MessageSchema) -> FieldSchema? {
        if let field = message.field(jsonName: name) ?? message.field(name) { return field }
        guard name.utf8.first == UInt8(ascii: "["), name.utf8.last == UInt8(ascii: "]"),
            let inner = String(name.utf8.dropFirst().dropLast()),
            let field = message.schema.field(inner),
            field.isExtension, field.containingMessage == message
        else { return nil }
        return field
    }

    // MARK: Fields

    private mutating func member(
        _ field: FieldSchema, of message: inout DynamicMessage
    ) throws(FormatError) {
        if try scanner.peek() == .null, field.isList || !field.hasNullValue {
            return try scanner.null()
        }
        if let oneof = field.oneof, message.present(in: oneof) != nil {
            throw scanner.error("another field of the oneof '\(oneof.name)' is set")
        }
        let value: DynamicValue?
        if field.isList {
            value = .list(try elements(of: field))
        } else if field.isMap {
            value = .map(try entries(of: field))
        } else {
            value = try self.value(of: field)
        }
        guard let value else { return }
        message.store(value, field)
    }

    mutating func elements(of field: FieldSchema) throws(FormatError) -> [DynamicValue] {
        var values: [DynamicValue] = []
        try list { reader, index throws(FormatError) in
            do throws(FormatError) {
                if let value = try reader.element(of: field) { values.append(value) }
            } catch {
                throw error.inside("[\(index)]")
            }
        }
        return values
    }

    /// - Parameter inBrackets: How the path of an error shows a key.
    mutating func entries(
        of field: FieldSchema, inBrackets: Bool = true
    ) throws(FormatError) -> [DynamicMapKey: DynamicValue] {
        guard let keyField = field.mapKey, let valueField = field.mapValue else { return [:] }
        var values: [DynamicMapKey: DynamicValue] = [:]
        var seen: Set<DynamicMapKey> = []
        try object { reader, name throws(FormatError) in
            do throws(FormatError) {
                guard let key = JSONReader.key(name, keyField.type) else {
                    throw reader.scanner.error(
                        "'\(name)' is not a key of type \(keyField.type.name)")
                }
                guard seen.insert(key).inserted else {
                    throw reader.scanner.error("the key occurs twice")
                }
                if let value = try reader.element(of: valueField) { values[key] = value }
            } catch {
                throw error.inside(inBrackets ? "[\(JSONString.quoted(name))]" : name)
            }
        }
        return values
    }

    /// An element of a list or a map, which cannot be null.
    private mutating func element(of field: FieldSchema) throws(FormatError) -> DynamicValue? {
        if try scanner.peek() == .null, !field.hasNullValue {
            throw scanner.error("an element cannot be null")
        }
        return try value(of: field)
    }

    private static func key(_ name: String, _ type: FieldType) -> DynamicMapKey? {
        switch type {
        case .string: .string(name)
        // Swift compares some longer texts in quadratic time.
        case .bool: name.utf8.count <= 5 ? Bool(name).map { .bool($0) } : nil
        case .int32, .sint32, .sfixed32: JSONNumber.integer(name).map { .int32($0) }
        case .int64, .sint64, .sfixed64: JSONNumber.integer(name).map { .int64($0) }
        case .uint32, .fixed32: JSONNumber.integer(name).map { .uint32($0) }
        case .uint64, .fixed64: JSONNumber.integer(name).map { .uint64($0) }
        default: nil
        }
    }
}

extension FieldSchema {
    /// Whether null is a value of the field's type, and not an absent value.
    fileprivate var hasNullValue: Bool {
        message?.wellKnown == .value || enumeration?.isNullValue == true
    }
}

extension EnumSchema {
    var isNullValue: Bool { fullName == "google.protobuf.NullValue" }
}
