import SwiftletMessages

/// Reads the text format into messages by their schema.
struct TextFormatReader {
    var scanner: TextScanner
    private let pool: SchemaPool
    private var depthLeft: Int

    init(_ bytes: [UInt8], pool: SchemaPool, options: TextReadingOptions) throws(FormatError) {
        guard bytes.count <= options.maxByteCount else {
            throw FormatError(
                line: 1, column: 1,
                message: "the text has \(bytes.count) bytes, more than \(options.maxByteCount)")
        }
        scanner = TextScanner(bytes)
        self.pool = pool
        depthLeft = options.maxDepth
    }

    /// Reads the whole text as one message.
    mutating func whole(into message: inout DynamicMessage) throws(FormatError) {
        while !scanner.isAtEnd { try field(of: &message) }
    }

    /// Reads a message between braces or angle brackets.
    private mutating func braced(into message: inout DynamicMessage) throws(FormatError) {
        let isAngle = scanner.next == UInt8(ascii: "<")
        let end = isAngle ? UInt8(ascii: ">") : UInt8(ascii: "}")
        try scanner.expect(isAngle ? UInt8(ascii: "<") : UInt8(ascii: "{"))
        guard depthLeft > 0 else { throw scanner.error("messages are nested too deeply") }
        depthLeft -= 1
        while !scanner.take(end) {
            guard !scanner.isAtEnd else {
                throw scanner.error("expected '\(Character(Unicode.Scalar(end)))', found the end")
            }
            try field(of: &message)
        }
        depthLeft += 1
    }

    // MARK: Fields

    private mutating func field(of message: inout DynamicMessage) throws(FormatError) {
        let start = scanner
        if scanner.take(UInt8(ascii: "[")) {
            let name = try scanner.bracketedName()
            if name.utf8.contains(UInt8(ascii: "/")) {
                try any(name, into: &message)
            } else {
                guard let field = extensionField(name, of: message.schema) else {
                    throw start.error("\(message.schema.fullName) has no extension '\(name)'")
                }
                try value(of: field, in: &message)
            }
        } else {
            let name = try scanner.name()
            if let field = field(name, of: message.schema) {
                try value(of: field, in: &message)
            } else if message.schema.descriptor.reservedName.contains(where: {
                DeclaredName.isSame($0, name)
            }) {
                try skipValue()
            } else {
                throw start.error("\(message.schema.fullName) has no field '\(name)'").inside(name)
            }
        }
        if !scanner.take(UInt8(ascii: ",")) { _ = scanner.take(UInt8(ascii: ";")) }
    }

    /// The field with this name in the text. A group has the name of its message.
    private func field(_ name: String, of message: MessageSchema) -> FieldSchema? {
        if let field = message.field(name) { return field }
        guard let field = message.field(name.lowercased()), field.isGroupLike,
            field.textName == name
        else { return nil }
        return field
    }

    /// The extension with this name in brackets. A message set may name the message of the extension instead.
    private func extensionField(_ name: String, of message: MessageSchema) -> FieldSchema? {
        let schema = Schema(pool: pool)
        if let field = schema.field(name) {
            return field.isExtension && field.containingMessage == message ? field : nil
        }
        return schema.message(name)?.nestedExtensions.first {
            $0.isNamedByMessage && $0.containingMessage == message
        }
    }

    private mutating func value(
        of field: FieldSchema, in message: inout DynamicMessage
    ) throws(FormatError) {
        do throws(FormatError) {
            try checkedValue(of: field, in: &message)
        } catch {
            throw error.inside(field.isExtension ? field.textName : field.name)
        }
    }

    private mutating func checkedValue(
        of field: FieldSchema, in message: inout DynamicMessage
    ) throws(FormatError) {
        let hasColon = scanner.take(UInt8(ascii: ":"))
        if !hasColon, !field.type.isMessage { try scanner.expect(UInt8(ascii: ":")) }
        if field.isList || field.isMap {
            return try elements(of: field, in: &message)
        }
        guard message.contents.value(field.number) == nil else {
            throw scanner.error("the field occurs twice")
        }
        if let oneof = field.oneof, message.present(in: oneof) != nil {
            throw scanner.error("another field of the oneof '\(oneof.name)' is set")
        }
        message.store(try single(field), field)
    }

    /// Reads one element, or several between brackets.
    private mutating func elements(
        of field: FieldSchema, in message: inout DynamicMessage
    ) throws(FormatError) {
        guard scanner.take(UInt8(ascii: "[")) else {
            return message.add(try single(field), to: field)
        }
        guard !scanner.take(UInt8(ascii: "]")) else { return }
        repeat { message.add(try single(field), to: field) } while scanner.take(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
    }

    // MARK: Values

    private mutating func single(_ field: FieldSchema) throws(FormatError) -> DynamicValue {
        if let schema = field.message {
            var message = DynamicMessage(schema)
            try braced(into: &message)
            return .message(message)
        }
        if field.type == .string || field.type == .bytes { return try string(field.type) }
        let isNegative = scanner.take(UInt8(ascii: "-"))
        let start = scanner
        let text = scanner.numberText()
        let value: DynamicValue?
        if text.isEmpty {
            let name = try scanner.name()
            value = named(name, field, isNegative: isNegative)
        } else {
            value = number(text, field, isNegative: isNegative)
        }
        guard let value else {
            throw start.error("\(start.found) is not a value of type \(field.type.name)")
        }
        return value
    }

    private mutating func string(_ type: FieldType) throws(FormatError) -> DynamicValue {
        let start = scanner
        let bytes = try scanner.stringBytes()
        if type == .bytes { return .bytes(bytes) }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw start.error("the string is not UTF-8")
        }
        return .string(text)
    }

    private func number(
        _ text: String, _ field: FieldSchema, isNegative: Bool
    ) -> DynamicValue? {
        func integer<T: FixedWidthInteger>() -> T? {
            TextNumber.integer(text, isNegative: isNegative)
        }
        switch field.type {
        case .int32, .sint32, .sfixed32: return integer().map { .int32($0) }
        case .int64, .sint64, .sfixed64: return integer().map { .int64($0) }
        case .uint32, .fixed32: return integer().map { .uint32($0) }
        case .uint64, .fixed64: return integer().map { .uint64($0) }
        case .double: return TextNumber.float(text, isNegative: isNegative).map { .double($0) }
        case .float: return TextNumber.float(text, isNegative: isNegative).map { .float($0) }
        case .bool:
            guard let value: UInt8 = integer(), value < 2, !isNegative else { return nil }
            return .bool(value == 1)
        case .enumeration:
            guard let value: Int32 = integer() else { return nil }
            let isKnown = field.enumeration?.contains(value) == true
            return field.layout.isClosedEnum && !isKnown ? nil : .enumeration(value)
        case .string, .bytes, .message, .group: return nil
        }
    }

    private func named(
        _ name: String, _ field: FieldSchema, isNegative: Bool
    ) -> DynamicValue? {
        switch field.type {
        case .double:
            return TextNumber.float(name: name, isNegative: isNegative).map { .double($0) }
        case .float: return TextNumber.float(name: name, isNegative: isNegative).map { .float($0) }
        case .bool where !isNegative:
            switch name {
            case "true", "True", "t": return .bool(true)
            case "false", "False", "f": return .bool(false)
            default: return nil
            }
        case .enumeration where !isNegative:
            return field.enumeration?.number(name).map { .enumeration($0) }
        default: return nil
        }
    }

    // MARK: Any

    private mutating func any(
        _ url: String, into message: inout DynamicMessage
    ) throws(FormatError) {
        guard message.schema.wellKnown == .any else {
            throw scanner.error("\(message.schema.fullName) is not google.protobuf.Any")
        }
        guard message.contents.isEmpty else {
            throw scanner.error("the Any has a type already")
        }
        guard let name = DeclaredName.ofType(url: url),
            let schema = Schema(pool: pool).message(name)
        else { throw scanner.error("the schema has no message '\(url)'") }
        _ = scanner.take(UInt8(ascii: ":"))
        var content = DynamicMessage(schema)
        do throws(FormatError) { try braced(into: &content) } catch {
            throw error.inside("[\(url)]")
        }
        message.store(.string(url), number: 1)
        message.store(.bytes(content.encodedPartially(options: .deterministic)), number: 2)
    }

    // MARK: Reserved names

    /// Skips the value of a field that the message has reserved.
    private mutating func skipValue() throws(FormatError) {
        _ = scanner.take(UInt8(ascii: ":"))
        guard depthLeft > 0 else { throw scanner.error("messages are nested too deeply") }
        depthLeft -= 1
        defer { depthLeft += 1 }
        switch scanner.next {
        case UInt8(ascii: "{"): try skipFields(UInt8(ascii: "{"), UInt8(ascii: "}"))
        case UInt8(ascii: "<"): try skipFields(UInt8(ascii: "<"), UInt8(ascii: ">"))
        case UInt8(ascii: "["): try skipList()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): _ = try scanner.stringBytes()
        default:
            _ = scanner.take(UInt8(ascii: "-"))
            if scanner.numberText().isEmpty { _ = try scanner.name() }
        }
    }

    private mutating func skipList() throws(FormatError) {
        try scanner.expect(UInt8(ascii: "["))
        if scanner.take(UInt8(ascii: "]")) { return }
        repeat { try skipValue() } while scanner.take(UInt8(ascii: ","))
        try scanner.expect(UInt8(ascii: "]"))
    }

    private mutating func skipFields(_ start: UInt8, _ end: UInt8) throws(FormatError) {
        try scanner.expect(start)
        while !scanner.take(end) {
            if scanner.take(UInt8(ascii: "[")) {
                _ = try scanner.bracketedName()
            } else {
                _ = try scanner.name()
            }
            try skipValue()
            if !scanner.take(UInt8(ascii: ",")) { _ = scanner.take(UInt8(ascii: ";")) }
        }
    }
}

extension DynamicMessage {
    /// Adds an element to a list, or an entry (a message) to a map.
    fileprivate mutating func add(_ value: DynamicValue, to field: FieldSchema) {
        guard field.isMap else {
            return mutate { contents in
                contents.update(field.number, field: field.index, initial: .list([])) {
                    $0.append(value)
                }
            }
        }
        guard case .message(let entry) = value,
            let key = entry.value(1).flatMap(DynamicMapKey.init),
            let element = entry.value(2)
        else { return }
        mutate { contents in
            contents.update(field.number, field: field.index, initial: .map([:])) {
                $0.changeMap { $0[key] = element }
            }
        }
    }
}
