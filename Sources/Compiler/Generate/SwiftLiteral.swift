/// Values as Swift source.
enum SwiftLiteral {
    /// The default of `field` as an expression. `type` is the type of one value.
    static func defaultValue(of field: FieldSchema, _ type: String) -> String {
        switch field.scalarDefault {
        case .bool(let value): "\(value)"
        case .int32(let value): "\(value)"
        case .int64(let value): "\(value)"
        case .uint32(let value): "\(value)"
        case .uint64(let value): "\(value)"
        case .float(let value): number(Double(value), "\(value)")
        case .double(let value): number(value, "\(value)")
        case .string(let value): quoted(value)
        case .bytes(let value): "[\(value.map { "\($0)" }.joined(separator: ", "))]"
        case .enumeration(let value): value == 0 ? "\(type)()" : "\(type)(rawValue: \(value))"
        case nil: field.isList || field.isMap ? "[]" : "\(type)()"
        }
    }

    /// The literal of a number. A whole number that is not negative has no `.0`, because the source
    /// declares its type.
    private static func number(_ value: Double, _ text: String) -> String {
        if value.isNaN { return ".nan" }
        if value.isInfinite { return value < 0 ? "-.infinity" : ".infinity" }
        return text.hasSuffix(".0") && value.sign == .plus ? String(text.dropLast(2)) : text
    }

    /// A string literal on one line.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case _ where scalar.properties.generalCategory == .control:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
