import SwiftletMessages

// Fields of messages, oneofs and extensions.
extension ProtoParser {
    typealias FieldType = Field.FieldType

    /// A type as the file spells it.
    private enum TypeSpelling {
        case scalar(FieldType)
        case named(String)
    }

    mutating func field(
        _ declared: Field, at path: ProtoPath, groups: inout [Message], _ groupsPath: ProtoPath,
        _ markBeforeLabel: (inout ProtoParser) -> Void = { _ in }
    ) throws(BrokenStatement) -> Field {
        let location = open(path)
        defer { close(location) }
        markBeforeLabel(&self)
        var field = declared
        field.label = label(at: path)
        if field.label == .optional, isProto3 { field.proto3Optional = true }
        return try rest(of: field, at: path, location, groups: &groups, groupsPath)
    }

    mutating func fieldWithoutLabel(
        _ declared: Field, at path: ProtoPath, groups: inout [Message], _ groupsPath: ProtoPath
    ) throws(BrokenStatement) -> Field {
        let location = open(path)
        defer { close(location) }
        return try rest(of: declared, at: path, location, groups: &groups, groupsPath)
    }

    private mutating func label(at path: ProtoPath) -> Field.Label? {
        let label: Field.Label
        switch lexer.current.text {
        case "optional": label = .optional
        case "required": label = .required
        case "repeated": label = .repeated
        default: return nil
        }
        if isEditions, label != .repeated {
            lexer.fail(
                label == .optional
                    ? "'optional' is not allowed in editions; fields have presence by default"
                    : "'required' is not allowed in editions; "
                        + "use features.field_presence = LEGACY_REQUIRED")
        }
        mark(path + [PathNumber.Field.label], lexer.current)
        lexer.advance()
        return label
    }

    /// Reads the rest of a field, after its label.
    private mutating func rest(
        of declared: Field, at path: ProtoPath, _ location: Int, groups: inout [Message],
        _ groupsPath: ProtoPath
    ) throws(BrokenStatement) -> Field {
        var field = declared
        let entry = try type(of: &field, at: path)
        let nameToken = lexer.current
        field.name = try name(at: path, "the name of the field")
        try expect("=")
        mark(path + [PathNumber.Field.number], lexer.current)
        field.number = try int32("the number of the field")
        try fieldOptions(of: &field, at: path)
        if field.type == .group {
            groups.append(try group(of: &field, nameToken, at: path, location, groupsPath, groups))
        } else {
            try expect(endOf: location, ";")
        }
        if let entry { groups.append(entry.message(for: &field)) }
        return field
    }

    // MARK: - Types

    /// Sets the type of the field; returns the types of a map's keys and values.
    private mutating func type(
        of field: inout Field, at path: ProtoPath
    ) throws(BrokenStatement) -> MapEntryTypes? {
        let location = open(path)
        defer { close(location) }
        if isNext("map") {
            let map = lexer.current
            lexer.advance()
            if isNext("<") {
                locations[location].path.append(PathNumber.Field.typeName)
                return try mapTypes(of: &field)
            }
            // As in protoc, `map` without `<` is the name of a type. A name such as `map.Part` is
            // not supported here.
            field.typeName = map.text
            try requireLabel(of: &field)
        } else {
            try requireLabel(of: &field)
            switch try typeSpelling() {
            case .scalar(let type): field.type = type
            case .named(let name): field.typeName = name
            }
        }
        let number =
            field.typeName == nil ? PathNumber.Field.type : PathNumber.Field.typeName
        locations[location].path.append(number)
        return nil
    }

    private mutating func requireLabel(of field: inout Field) throws(BrokenStatement) {
        guard field.label == nil else { return }
        if !isProto3, !isEditions {
            lexer.fail("'optional', 'required' or 'repeated' expected before the type")
        }
        field.label = .optional
    }

    private mutating func mapTypes(
        of field: inout Field
    ) throws(BrokenStatement) -> MapEntryTypes {
        if field.oneofIndex != nil { throw failure("a map cannot be in a oneof") }
        if field.label != nil { throw failure("a map has no label such as 'repeated'") }
        if field.extendee != nil { throw failure("a map cannot be an extension") }
        field.label = .repeated
        try expect("<")
        let key = try typeSpelling()
        try expect(",")
        let value = try typeSpelling()
        try expect(">")
        return MapEntryTypes(
            key: Self.entryField(1, "key", key), value: Self.entryField(2, "value", value))
    }

    private static func entryField(
        _ number: Int32, _ name: String, _ type: TypeSpelling
    ) -> Field {
        .with {
            $0.name = name
            $0.number = number
            $0.label = .optional
            switch type {
            case .scalar(let type): $0.type = type
            case .named(let name): $0.typeName = name
            }
        }
    }

    private mutating func typeSpelling() throws(BrokenStatement) -> TypeSpelling {
        guard isNext(.identifier), let type = FieldType.scalars[lexer.current.text] else {
            return .named(try typeName())
        }
        if type == .group, isEditions {
            lexer.fail(
                "groups are not allowed in editions; use features.message_encoding = DELIMITED")
        }
        lexer.advance()
        return .scalar(type)
    }

    /// The name of a message or an enum.
    mutating func typeName() throws(BrokenStatement) -> String {
        if isNext(.identifier), FieldType.scalars[lexer.current.text] != nil {
            lexer.fail("the name of a message expected, not '\(lexer.current.text)'")
            defer { lexer.advance() }
            return lexer.current.text
        }
        var name = take(if: ".") ? "." : ""
        name += try identifier("a type")
        while take(if: ".") { name += "." + (try identifier("a name after '.'")) }
        return name
    }

    // MARK: - Groups

    /// A group declares a message and a field with one name.
    private mutating func group(
        of field: inout Field, _ nameToken: ProtoToken, at path: ProtoPath, _ location: Int,
        _ groupsPath: ProtoPath, _ groups: [Message]
    ) throws(BrokenStatement) -> Message {
        let groupPath = groupsPath + [Int32(groups.count)]
        let groupLocation = open(groupPath, at: locations[location].start)
        defer { close(groupLocation) }
        var group = Message(name: nameToken.text)
        mark(groupPath + [PathNumber.name], nameToken)
        mark(path + [PathNumber.Field.typeName], nameToken)
        guard nameToken.text.utf8.first.map({ $0.isLetter && $0 & 0x20 == 0 }) == true,
            !nameToken.text.hasPrefix("_")
        else {
            throw failure(
                "the name of a group starts with a capital letter", at: nameToken.position)
        }
        field.name = nameToken.text.lowercased()
        field.typeName = nameToken.text
        try body(of: &group, at: groupPath, groupLocation)
        return group
    }
}

/// The two fields of a map's entries.
struct MapEntryTypes {
    var key: Google.Protobuf.FieldDescriptorProto
    var value: Google.Protobuf.FieldDescriptorProto

    /// Makes the message for the entries of `field`, and sets the type of `field` to this message.
    func message(
        for field: inout Google.Protobuf.FieldDescriptorProto
    ) -> Google.Protobuf.DescriptorProto {
        var entry = Google.Protobuf.DescriptorProto(name: Self.name(for: field.name ?? ""))
        field.typeName = entry.name
        entry.options = .init(mapEntry: true)
        // Keys and values inherit the features of their field.
        let inherited = (field.options?.uninterpretedOption ?? []).filter {
            $0.name.first.map { $0.namePart == "features" && !$0.isExtension } == true
        }
        entry.field = [key, value]
        if !inherited.isEmpty {
            for index in 0..<2 {
                entry.field[index].options = .with { $0.uninterpretedOption = inherited }
            }
        }
        return entry
    }

    /// `FooBarEntry` for `foo_bar`.
    static func name(for field: String) -> String {
        var name = ""
        var raisesNext = true
        for scalar in field.unicodeScalars {
            if scalar == "_" {
                raisesNext = true
            } else {
                let lower = raisesNext && ("a"..."z").contains(scalar)
                name.unicodeScalars.append(
                    lower ? Unicode.Scalar(UInt8(scalar.value) - 32) : scalar)
                raisesNext = false
            }
        }
        return name + "Entry"
    }
}

extension Google.Protobuf.FieldDescriptorProto.FieldType {
    /// The types that are keywords.
    static let scalars: [String: Self] = [
        "double": .double, "float": .float, "int64": .int64, "uint64": .uint64, "int32": .int32,
        "fixed64": .fixed64, "fixed32": .fixed32, "bool": .bool, "string": .string,
        "group": .group, "bytes": .bytes, "uint32": .uint32, "sfixed32": .sfixed32,
        "sfixed64": .sfixed64, "sint32": .sint32, "sint64": .sint64,
    ]
}

extension Google.Protobuf.DescriptorProto {
    /// A message without fields.
    init(name: String) {
        self.init()
        self.name = name
    }
}
