import SwiftletMessages

// Enums and their values.
extension ProtoParser {
    private typealias Value = Google.Protobuf.EnumValueDescriptorProto

    mutating func enumeration(
        at path: ProtoPath, _ visibility: Visibility?
    ) throws(BrokenStatement) -> Enum {
        let location = open(path)
        defer { close(location) }
        lexer.advance()
        var type = Enum()
        type.name = try name(at: path, "the name of the enum")
        try expect(endOf: location, "{")
        try block(of: "an enum") { parser throws(BrokenStatement) in
            try parser.statement(of: &type, at: path)
        }
        type.visibility = visibility
        return type
    }

    private mutating func statement(
        of type: inout Enum, at path: ProtoPath
    ) throws(BrokenStatement) {
        switch lexer.current.text {
        case "option":
            try optionStatement(&type.options, at: path + [PathNumber.Enum.options])
        case "reserved": try reserved(of: &type, at: path)
        default:
            let index = Int32(type.value.count)
            type.value.append(try value(at: path + [PathNumber.Enum.value, index]))
        }
    }

    private mutating func value(at path: ProtoPath) throws(BrokenStatement) -> Value {
        let location = open(path)
        defer { close(location) }
        var value = Value()
        value.name = try name(at: path, "the name of a value")
        try expect("=")
        let number = open(path + [PathNumber.EnumValue.number])
        value.number = try signedInt32("the number of the value")
        close(number)
        try bracketedOptions(&value.options, at: path + [PathNumber.EnumValue.options])
        try expect(endOf: location, ";")
        return value
    }
}
