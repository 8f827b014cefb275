import SwiftletMessages

// The brackets after a field contain options, and `default` and `json_name`, which have the same
// syntax.
extension ProtoParser {
    mutating func fieldOptions(
        of field: inout Field, at path: ProtoPath
    ) throws(BrokenStatement) {
        guard isNext("["), isNext(.symbol) else { return }
        let location = open(path + [PathNumber.Field.options])
        defer { close(location) }
        repeat {
            lexer.advance()
            switch lexer.current.text {
            case "default": try defaultValue(of: &field, at: path)
            case "json_name": try jsonName(of: &field, at: path)
            default: try option(&field.options, at: path + [PathNumber.Field.options])
            }
        } while isNext(",")
        try expect("]")
    }

    /// Options in brackets.
    mutating func bracketedOptions<Options: ProtoOptions>(
        _ options: inout Options?, at path: ProtoPath
    ) throws(BrokenStatement) {
        guard isNext("["), isNext(.symbol) else { return }
        let location = open(path)
        defer { close(location) }
        repeat {
            lexer.advance()
            try option(&options, at: path)
        } while isNext(",")
        try expect("]")
    }

    private mutating func jsonName(
        of field: inout Field, at path: ProtoPath
    ) throws(BrokenStatement) {
        if field.jsonName != nil { lexer.fail("'json_name' is set twice") }
        let path = path + [PathNumber.Field.jsonName]
        let location = open(path)
        defer { close(location) }
        lexer.advance()
        try expect("=")
        let value = open(path)
        defer { close(value) }
        field.jsonName = try nameText("the JSON name in quotation marks")
    }

    // MARK: - Defaults

    private mutating func defaultValue(
        of field: inout Field, at path: ProtoPath
    ) throws(BrokenStatement) {
        if field.defaultValue != nil { lexer.fail("'default' is set twice") }
        lexer.advance()
        try expect("=")
        let location = open(path + [PathNumber.Field.defaultValue])
        defer { close(location) }
        field.defaultValue = try defaultText(for: field.type)
    }

    private mutating func defaultText(
        for type: FieldType?
    ) throws(BrokenStatement) -> String {
        switch type {
        case FieldType.int32?, FieldType.sint32?, FieldType.sfixed32?:
            return try signed(max: UInt64(Int32.max))
        case FieldType.int64?, FieldType.sint64?, FieldType.sfixed64?:
            return try signed(max: UInt64(Int64.max))
        case FieldType.uint32?, FieldType.fixed32?:
            return String(try unsigned(max: UInt64(UInt32.max), "a number from 0 on"))
        case FieldType.uint64?, FieldType.fixed64?:
            return String(try unsigned(max: .max, "a number from 0 on"))
        case FieldType.float?: return FloatText.ofFloat(try signedDouble())
        case FieldType.double?: return FloatText.ofDouble(try signedDouble())
        case FieldType.bool?:
            guard isNext("true") || isNext("false"), isNext(.identifier) else {
                throw unexpected("'true' or 'false'")
            }
            defer { lexer.advance() }
            return lexer.current.text
        case FieldType.string?: return try text("a default in quotation marks")
        case FieldType.bytes?: return try string("a default in quotation marks").escapedAsInC
        case FieldType.group?: throw failure("a message has no default")
        default:
            // It is not known yet whether this type is an enum.
            guard isNext(.identifier) else { throw unexpected("a value of the enum") }
            defer { lexer.advance() }
            return lexer.current.text
        }
    }

    private mutating func signed(max: UInt64) throws(BrokenStatement) -> String {
        let isNegative = take(if: "-")
        let magnitude = try unsigned(max: max + (isNegative ? 1 : 0), "an integer")
        return (isNegative && magnitude > 0 ? "-" : "") + String(magnitude)
    }

    private mutating func signedDouble() throws(BrokenStatement) -> Double {
        let isNegative = take(if: "-")
        let value = try double()
        return isNegative ? -value : value
    }
}

extension [UInt8] {
    /// Keeps ASCII, and writes other bytes, quotation marks and backslashes as escapes of C.
    var escapedAsInC: String {
        var text = ""
        for byte in self {
            switch byte {
            case 10: text += "\\n"
            case 13: text += "\\r"
            case 9: text += "\\t"
            case UInt8(ascii: "\""): text += "\\\""
            case UInt8(ascii: "'"): text += "\\'"
            case UInt8(ascii: "\\"): text += "\\\\"
            case 0x20..<0x7f: text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - digits.utf8.count) + digits
            }
        }
        return text
    }
}
