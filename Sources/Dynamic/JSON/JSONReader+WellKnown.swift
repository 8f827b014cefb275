import SwiftletMessages

// The well-known types, which have special JSON forms.
extension JSONReader {
    mutating func read(
        _ type: WellKnownType, into message: inout DynamicMessage
    ) throws(FormatError) {
        switch type {
        case .any: try any(into: &message)
        case .timestamp: try seconds(into: &message, "a timestamp", TimestampText.parse)
        case .duration: try seconds(into: &message, "a duration", DurationText.parse)
        case .fieldMask: try fieldMask(into: &message)
        case .wrapper:
            guard let field = message.schema.field(number: 1) else { return }
            message.store(try scalar(field.type), field)
        case .value: try value(into: &message)
        case .structure:
            guard let field = message.schema.field(number: 1) else { return }
            message.store(.map(try entries(of: field, inBrackets: false)), field)
        case .listValue:
            guard let field = message.schema.field(number: 1) else { return }
            message.store(.list(try elements(of: field)), field)
        }
    }

    private mutating func seconds(
        into message: inout DynamicMessage, _ name: String,
        _ parse: (String) -> (seconds: Int64, nanos: Int32)?
    ) throws(FormatError) {
        let text = try text("a string with \(name)")
        guard let value = parse(text) else { throw scanner.error("'\(text)' is not \(name)") }
        message.store(.int64(value.seconds), number: 1)
        message.store(.int32(value.nanos), number: 2)
    }

    private mutating func fieldMask(into message: inout DynamicMessage) throws(FormatError) {
        let text = try text("a string with field names")
        guard let paths = FieldMaskText.parse(text) else {
            throw scanner.error("'\(text)' is not a list of field names")
        }
        message.store(.list(paths.map { .string($0) }), number: 1)
    }

    // MARK: Any

    private mutating func any(into message: inout DynamicMessage) throws(FormatError) {
        let (url, isEmpty) = try typeURL()
        guard let url else {
            guard isEmpty || options.ignoresUnknownFields else {
                throw scanner.error("an Any needs a member '@type'")
            }
            return try scanner.skipValue()
        }
        guard let name = DeclaredName.ofType(url: url),
            let schema = Schema(pool: pool).message(name)
        else { throw scanner.error("the schema has no message '\(url)'").inside("@type") }
        var content = DynamicMessage(schema)
        if schema.wellKnown != nil {
            try wellKnownContent(of: &content)
        } else {
            try members(of: &content, passingOver: "@type")
        }
        message.store(.string(url), number: 1)
        message.store(.bytes(content.encodedPartially(options: .deterministic)), number: 2)
    }

    /// The type URL of the next object. The member `@type` can be anywhere in the object.
    private func typeURL() throws(FormatError) -> (url: String?, isEmpty: Bool) {
        var copy = self
        var url: String?
        var isEmpty = true
        try copy.object { reader, name throws(FormatError) in
            isEmpty = false
            guard DeclaredName.isSame(name, "@type") else { return try reader.scanner.skipValue() }
            guard url == nil else { throw reader.scanner.error("'@type' occurs twice") }
            url = try reader.text("the URL of a type")
        }
        return (url, isEmpty)
    }

    private mutating func wellKnownContent(
        of content: inout DynamicMessage
    ) throws(FormatError) {
        var isRead = false
        try object { reader, name throws(FormatError) in
            switch name {
            case _ where DeclaredName.isSame(name, "@type"): try reader.scanner.skipValue()
            case _ where DeclaredName.isSame(name, "value"):
                guard !isRead else { throw reader.scanner.error("'value' occurs twice") }
                isRead = true
                do throws(FormatError) { try reader.read(into: &content) } catch {
                    throw error.inside(name)
                }
            default:
                guard reader.options.ignoresUnknownFields else {
                    throw reader.scanner.error("expected '@type' and 'value'").inside(name)
                }
                try reader.scanner.skipValue()
            }
        }
        guard isRead else { throw scanner.error("an Any of this type needs a member 'value'") }
    }

    // MARK: Any JSON

    private mutating func value(into message: inout DynamicMessage) throws(FormatError) {
        switch try scanner.peek() {
        case .null:
            try scanner.null()
            message.store(.enumeration(0), number: 1)
        case .number: message.store(try scalar(.double), number: 2)
        case .string: message.store(.string(try scanner.string()), number: 3)
        case .bool: message.store(.bool(try scanner.bool()), number: 4)
        case .object: try nested(5, of: &message)
        case .list: try nested(6, of: &message)
        }
    }

    private mutating func nested(
        _ number: UInt32, of message: inout DynamicMessage
    ) throws(FormatError) {
        guard let schema = message.schema.field(number: number)?.message else { return }
        var content = DynamicMessage(schema)
        try read(into: &content)
        message.store(.message(content), number: number)
    }
}

extension DynamicMessage {
    /// Stores a value that is of the field's type.
    mutating func store(_ value: DynamicValue, number: UInt32) {
        guard let field = schema.field(number: number) else { return }
        store(value, field)
    }
}
