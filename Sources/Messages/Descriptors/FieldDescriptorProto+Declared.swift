// A field as its declaration spells it.
extension Google.Protobuf.FieldDescriptorProto {
    /// A tag has 29 bits for the number.
    static let greatestNumber: Int32 = 0x1fff_ffff

    static func of(
        _ type: String, _ name: String, number: Int32, _ label: Label
    ) -> Self {
        .with {
            $0.name = name
            $0.number = number
            $0.label = label
            $0.type = FieldType.scalar(named: type)
            if $0.type == nil { $0.typeName = type }
            $0.jsonName = jsonName(of: name)
        }
    }

    /// `response_size` is `responseSize` in JSON.
    static func jsonName(of name: String) -> String {
        var result = ""
        var raisesNext = false
        for character in name {
            if character == "_" {
                raisesNext = true
            } else {
                result += raisesNext ? character.uppercased() : String(character)
                raisesNext = false
            }
        }
        return result
    }
}

extension Google.Protobuf.FieldDescriptorProto.FieldType {
    static func scalar(named name: String) -> Self? {
        switch name {
        case "double": .double
        case "float": .float
        case "int64": .int64
        case "uint64": .uint64
        case "int32": .int32
        case "fixed64": .fixed64
        case "fixed32": .fixed32
        case "bool": .bool
        case "string": .string
        case "bytes": .bytes
        case "uint32": .uint32
        case "sfixed32": .sfixed32
        case "sfixed64": .sfixed64
        case "sint32": .sint32
        case "sint64": .sint64
        default: nil
        }
    }
}
