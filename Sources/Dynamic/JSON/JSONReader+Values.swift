import SwiftletMessages

// Single values.
extension JSONReader {
    /// Reads a value. Returns nil if it is an unknown enum value and the options ignore these.
    mutating func value(of field: FieldSchema) throws(FormatError) -> DynamicValue? {
        switch field.type {
        case .message, .group:
            guard let schema = field.message else { return nil }
            var message = DynamicMessage(schema)
            try read(into: &message)
            return .message(message)
        case .enumeration:
            guard let schema = field.enumeration else { return nil }
            return try enumeration(schema)
        default: return try scalar(field.type)
        }
    }

    mutating func scalar(_ type: FieldType) throws(FormatError) -> DynamicValue {
        switch type {
        case .bool: return .bool(try scanner.bool())
        case .string: return .string(try text("a string"))
        case .bytes:
            let text = try text("a string in base64")
            guard let bytes = Base64Text.decode(text) else {
                throw scanner.error("the string is not base64")
            }
            return .bytes(bytes)
        case .int32, .sint32, .sfixed32: return .int32(try integer(type))
        case .int64, .sint64, .sfixed64: return .int64(try integer(type))
        case .uint32, .fixed32: return .uint32(try integer(type))
        case .uint64, .fixed64: return .uint64(try integer(type))
        case .double: return .double(try float(type) { Double($0) })
        case .float: return .float(try float(type) { Float($0) })
        case .enumeration, .message, .group: throw scanner.error("not a scalar")
        }
    }

    /// Reads a string. Throws for any other value.
    mutating func text(_ expected: String) throws(FormatError) -> String {
        guard try scanner.peek() == .string else { throw scanner.error("expected \(expected)") }
        return try scanner.string()
    }

    private mutating func integer<T: FixedWidthInteger>(
        _ type: FieldType
    ) throws(FormatError) -> T {
        let text = try numberText(type)
        guard let value: T = JSONNumber.integer(text) else {
            throw scanner.error("\(text) is not a number of type \(type.name)")
        }
        return value
    }

    private mutating func float<T: BinaryFloatingPoint>(
        _ type: FieldType, _ convert: (String) -> T?
    ) throws(FormatError) -> T {
        let isString = try scanner.peek() == .string
        let text = try numberText(type)
        // A longer text is none of these, and comparing it could take quadratic time.
        switch text.utf8.count <= 9 ? text : "" {
        case "NaN" where isString: return .nan
        case "Infinity" where isString: return .infinity
        case "-Infinity" where isString: return -.infinity
        default: break
        }
        guard JSONNumber.isNumber(text), let value = convert(text), value.isFinite else {
            throw scanner.error("\(text) is not a number of type \(type.name)")
        }
        return value
    }

    /// The text of a number, or of a string that should be one.
    private mutating func numberText(_ type: FieldType) throws(FormatError) -> String {
        switch try scanner.peek() {
        case .number: return try scanner.number()
        case .string: return try scanner.string()
        default: throw scanner.error("expected a number of type \(type.name)")
        }
    }

    private mutating func enumeration(
        _ schema: EnumSchema
    ) throws(FormatError) -> DynamicValue? {
        switch try scanner.peek() {
        case .null where schema.isNullValue:
            try scanner.null()
            return .enumeration(0)
        case .string:
            let name = try scanner.string()
            if let number = schema.number(name) { return .enumeration(number) }
            guard options.ignoresUnknownFields else {
                throw scanner.error("\(schema.fullName) has no value '\(name)'")
            }
            return nil
        default:
            let number: Int32 = try integer(.int32)
            if schema.isClosed, !schema.contains(number) {
                if options.ignoresUnknownFields { return nil }
                throw scanner.error("\(schema.fullName) has no value \(number)")
            }
            return .enumeration(number)
        }
    }
}
