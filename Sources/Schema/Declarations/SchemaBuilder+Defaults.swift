import SwiftletMessages

// The defaults of fields, which descriptors contain as text.
extension SchemaBuilder {
    mutating func resolveDefault(
        of index: Int, _ type: FieldType, _ target: Int
    ) throws(SchemaError) {
        let entry = fields[index]
        guard let text = entry.proto.defaultValue else {
            fields[index].defaultValue = zero(type, target)
            return
        }
        guard layouts[index].isSingular, let value = parse(text, type, target) else {
            throw error(
                entry.file, entry.fullName,
                "'\(ProtoName.shown(text))' is not a default for its type, \(type.name)")
        }
        fields[index].defaultValue = value
        fields[index].hasExplicitDefault = true
    }

    private func zero(_ type: FieldType, _ target: Int) -> FieldDefault {
        switch type {
        case .double: .double(0)
        case .float: .float(0)
        case .int64, .sfixed64, .sint64: .int64(0)
        case .uint64, .fixed64: .uint64(0)
        case .int32, .sfixed32, .sint32: .int32(0)
        case .uint32, .fixed32: .uint32(0)
        case .bool: .bool(false)
        case .string: .string("")
        case .bytes: .bytes([])
        case .enumeration: .enumeration(enums[target].proto.value.first?.number ?? 0)
        // Not used: a message has no scalar default.
        case .message, .group: .bool(false)
        }
    }

    private func parse(_ text: String, _ type: FieldType, _ target: Int) -> FieldDefault? {
        switch type {
        case .double: Double(text).map { .double($0) }
        case .float: Float(text).map { .float($0) }
        case .int64, .sfixed64, .sint64: Int64(text).map { .int64($0) }
        case .uint64, .fixed64: UInt64(text).map { .uint64($0) }
        case .int32, .sfixed32, .sint32: Int32(text).map { .int32($0) }
        case .uint32, .fixed32: UInt32(text).map { .uint32($0) }
        case .bool: text.utf8.count <= 5 ? Bool(text).map { .bool($0) } : nil
        case .string: .string(text)
        case .bytes: Escapes.decode(text).map { .bytes($0) }
        case .enumeration: enums[target].numbers[declared: text].map { .enumeration($0) }
        case .message, .group: nil
        }
    }
}
