import SwiftletMessages

/// The value of an option as the file spells it.
enum OptionScalar {
    case integer(UInt64, isNegative: Bool)
    case double(Double)
    case identifier(String)
    case string([UInt8])
}

/// The reason why a value does not fit its option.
struct OptionProblem: Error {
    var message: String
    /// The place of the problem, if it is inside a value; nil for the value as a whole.
    var position: ProtoPosition?

    init(_ message: String, at position: ProtoPosition? = nil) {
        self.message = message
        self.position = position
    }
}

extension OptionScalar {
    init?(_ option: Google.Protobuf.UninterpretedOption) {
        if let value = option.identifierValue {
            self = .identifier(value)
        } else if let value = option.positiveIntValue {
            self = .integer(value, isNegative: false)
        } else if let value = option.negativeIntValue {
            self = .integer(value.magnitude, isNegative: true)
        } else if let value = option.doubleValue {
            self = .double(value)
        } else if let value = option.stringValue {
            self = .string(value)
        } else {
            return nil
        }
    }

    /// Encodes the value without its tag.
    ///
    /// - Parameter isText: Whether to apply the rules of the text format, which allows more
    ///   spellings.
    func encoded(
        for field: LinkedField, isText: Bool
    ) throws(OptionProblem) -> EncodedOption {
        switch field.type {
        case LinkedField.FieldType.int32?: return .varint(try signed(32, field))
        case LinkedField.FieldType.int64?: return .varint(try signed(64, field))
        case LinkedField.FieldType.uint32?: return .varint(try unsigned(32, field))
        case LinkedField.FieldType.uint64?: return .varint(try unsigned(64, field))
        case LinkedField.FieldType.sint32?: return .varint(zigZag(try signed(32, field)))
        case LinkedField.FieldType.sint64?: return .varint(zigZag(try signed(64, field)))
        case LinkedField.FieldType.sfixed32?: return .fixed32(try signed(32, field))
        case LinkedField.FieldType.sfixed64?: return .fixed64(try signed(64, field))
        case LinkedField.FieldType.fixed32?: return .fixed32(try unsigned(32, field))
        case LinkedField.FieldType.fixed64?: return .fixed64(try unsigned(64, field))
        case LinkedField.FieldType.bool?: return .varint(try bool(field, isText) ? 1 : 0)
        case LinkedField.FieldType.float?:
            return .fixed32(UInt64(Float(try double(field, isText)).bitPattern))
        case LinkedField.FieldType.double?: return .fixed64(try double(field, isText).bitPattern)
        case LinkedField.FieldType.enumeration?: return .varint(try number(field, isText))
        case LinkedField.FieldType.string?, LinkedField.FieldType.bytes?:
            guard case .string(let bytes) = self else {
                throw OptionProblem("'\(field.fullName)' needs a string in quotation marks")
            }
            // protoc warns of such a string in other fields, but cannot read back one in these.
            guard !field.verifiesUTF8 || String(validating: bytes, as: UTF8.self) != nil else {
                throw OptionProblem("the string of '\(field.fullName)' is not UTF-8")
            }
            return .bytes(bytes)
        default:
            throw OptionProblem(
                """
                '\(field.fullName)' is a message; write '\(field.name) = { … }' or \
                '\(field.name).field = …'
                """)
        }
    }

    private func zigZag(_ value: UInt64) -> UInt64 {
        let signed = Int64(bitPattern: value)
        return UInt64(bitPattern: signed << 1 ^ signed >> 63)
    }

    private func signed(_ bits: Int, _ field: LinkedField) throws(OptionProblem) -> UInt64 {
        guard case .integer(let magnitude, let isNegative) = self else {
            throw OptionProblem("'\(field.fullName)' needs an integer")
        }
        let limit = UInt64(1) << (bits - 1)
        guard magnitude < limit || (isNegative && magnitude == limit) else {
            throw OptionProblem(
                "the number is out of range for '\(field.fullName)', which has \(bits) bits")
        }
        return isNegative ? 0 &- magnitude : magnitude
    }

    private func unsigned(_ bits: Int, _ field: LinkedField) throws(OptionProblem) -> UInt64 {
        guard case .integer(let magnitude, let isNegative) = self, !isNegative || magnitude == 0
        else { throw OptionProblem("'\(field.fullName)' needs an integer from 0 on") }
        guard bits == 64 || magnitude >> bits == 0 else {
            throw OptionProblem(
                "the number is out of range for '\(field.fullName)', which has \(bits) bits")
        }
        return magnitude
    }

    private func bool(_ field: LinkedField, _ isText: Bool) throws(OptionProblem) -> Bool {
        switch self {
        case .identifier("true"): return true
        case .identifier("false"): return false
        case .identifier("True"), .identifier("t"): if isText { return true }
        case .identifier("False"), .identifier("f"): if isText { return false }
        case .integer(let value, isNegative: false):
            if isText, value <= 1 { return value == 1 }
        default: break
        }
        throw OptionProblem("'\(field.fullName)' needs 'true' or 'false'")
    }

    private func double(_ field: LinkedField, _ isText: Bool) throws(OptionProblem) -> Double {
        switch self {
        case .double(let value): return value
        case .integer(let magnitude, let isNegative):
            // An integer has no negative zero.
            return isNegative ? 0 - Double(magnitude) : Double(magnitude)
        case .identifier(let name):
            let word = isText ? name.lowercased() : name
            if word == "inf" || (isText && word == "infinity") { return .infinity }
            if word == "nan" { return .nan }
        default: break
        }
        throw OptionProblem("'\(field.fullName)' needs a number")
    }

    private func number(_ field: LinkedField, _ isText: Bool) throws(OptionProblem) -> UInt64 {
        let type = field.enumeration
        let typeName = type?.fullName ?? ""
        if isText, case .integer = self {
            let value = try signed(32, field)
            guard type?.isClosed != true || type?.hasValue(Int32(truncatingIfNeeded: value)) == true
            else { throw OptionProblem("'\(typeName)' has no value with this number") }
            return value
        }
        guard case .identifier(let name) = self else {
            throw OptionProblem("'\(field.fullName)' needs the name of a value of '\(typeName)'")
        }
        guard let number = type?.number(of: name) else {
            throw OptionProblem("'\(typeName)' has no value '\(name)'")
        }
        return UInt64(bitPattern: Int64(number))
    }
}
