/// Reads the declarations of a `.proto` file. Types are left as they are spelt; ``TypeNames`` finds
/// what they mean when the whole file is known.
///
/// Options are passed over, but for those of a field that say how it is used.
struct ProtoParser {
    typealias Field = Google.Protobuf.FieldDescriptorProto
    typealias Message = Google.Protobuf.DescriptorProto
    typealias Enum = Google.Protobuf.EnumDescriptorProto

    private var tokens: ProtoTokens
    private(set) var file = Google.Protobuf.FileDescriptorProto()

    init(_ source: String) throws(ProtoSyntaxError) {
        tokens = try ProtoTokens(source)
        while !tokens.next.isEmpty { try declaration() }
    }

    private var isProto3: Bool { file.syntax == "proto3" }

    private mutating func declaration() throws(ProtoSyntaxError) {
        switch tokens.next {
        case ";": try tokens.expect(";")
        case "syntax":
            try tokens.expect("syntax")
            try tokens.expect("=")
            let syntax = try tokens.string()
            // Proto2 is what a file without this line is.
            file.syntax = syntax == "proto2" ? nil : syntax
            try tokens.expect(";")
        case "package":
            try tokens.expect("package")
            file.package = try tokens.take()
            try tokens.expect(";")
        case "import":
            try tokens.expect("import")
            if try tokens.take(if: "public") {
                file.publicDependency.append(Int32(file.dependency.count))
            }
            file.dependency.append(try tokens.string())
            try tokens.expect(";")
        case "message": file.messageType.append(try message())
        case "enum": file.enumType.append(try enumeration())
        case "service": file.service.append(try service())
        case "option": try tokens.skipStatement()
        default: throw tokens.failure("'\(tokens.next)' is not understood")
        }
    }

    // MARK: - Messages

    private mutating func message() throws(ProtoSyntaxError) -> Message {
        var message = Message()
        try tokens.expect("message")
        message.name = try tokens.take()
        try tokens.expect("{")
        var presence: [Int] = []
        while try !tokens.take(if: "}") {
            switch tokens.next {
            case ";": try tokens.expect(";")
            case "message": message.nestedType.append(try self.message())
            case "enum": message.enumType.append(try enumeration())
            case "oneof": try oneof(into: &message)
            case "map": try map(into: &message)
            case "reserved", "extensions", "option": try tokens.skipToSemicolon()
            default:
                let field = try field()
                if field.proto3Optional == true { presence.append(message.field.count) }
                message.field.append(field)
            }
        }
        // A proto3 field with presence is alone in a oneof that nobody wrote; those come last.
        for index in presence {
            message.field[index].oneofIndex = Int32(message.oneofDecl.count)
            message.oneofDecl.append(.init(name: "_\(message.field[index].name ?? "")"))
        }
        return message
    }

    private mutating func oneof(into message: inout Message) throws(ProtoSyntaxError) {
        try tokens.expect("oneof")
        let index = Int32(message.oneofDecl.count)
        message.oneofDecl.append(.init(name: try tokens.take()))
        try tokens.expect("{")
        while try !tokens.take(if: "}") {
            if tokens.next == "option" || tokens.next == ";" {
                try tokens.skipStatement()
                continue
            }
            var field = try field()
            field.oneofIndex = index
            message.field.append(field)
        }
    }

    private mutating func field() throws(ProtoSyntaxError) -> Field {
        var label = Field.Label.optional
        var hasPresence = false
        switch tokens.next {
        case "optional":
            hasPresence = isProto3
            _ = try tokens.take()
        case "required":
            label = .required
            _ = try tokens.take()
        case "repeated":
            label = .repeated
            _ = try tokens.take()
        default: break
        }
        let type = try tokens.take()
        guard type != "group" else { throw tokens.failure("groups are not understood") }
        var field = try named(type, label)
        if hasPresence { field.proto3Optional = true }
        return field
    }

    /// The name, number and options behind a type.
    private mutating func named(
        _ type: String, _ label: Field.Label
    ) throws(ProtoSyntaxError) -> Field {
        let name = try tokens.take()
        try tokens.expect("=")
        var field = Field.of(type, name, number: try tokens.number(), label)
        if try tokens.take(if: "[") {
            repeat { try option(of: &field) } while try tokens.take(if: ",")
            try tokens.expect("]")
        }
        try tokens.expect(";")
        return field
    }

    private mutating func option(of field: inout Field) throws(ProtoSyntaxError) {
        var name = ""
        while tokens.next != "=" { name += try tokens.take() }
        try tokens.expect("=")
        // Of an option that somebody else has declared, which may be a whole message.
        guard tokens.next != "{" else { return try tokens.skipBlock() }
        let value = tokens.isString ? try tokens.string() : try tokens.take()
        switch name {
        case "default": field.defaultValue = value
        case "json_name": field.jsonName = value
        case "packed":
            field.options = field.options ?? .init()
            field.options?.packed = value == "true"
        case "deprecated":
            field.options = field.options ?? .init()
            field.options?.deprecated = value == "true"
        default: break
        }
    }

    /// A map is a list of messages of two fields, which are declared beside it.
    private mutating func map(into message: inout Message) throws(ProtoSyntaxError) {
        try tokens.expect("map")
        try tokens.expect("<")
        let key = try tokens.take()
        try tokens.expect(",")
        let value = try tokens.take()
        try tokens.expect(">")
        var field = try named("", .repeated)
        let camel = field.jsonName ?? ""
        let entry = camel.prefix(1).uppercased() + camel.dropFirst() + "Entry"
        field.typeName = entry
        message.field.append(field)
        message.nestedType.append(
            .with {
                $0.name = entry
                $0.field = [
                    .of(key, "key", number: 1, .optional),
                    .of(value, "value", number: 2, .optional),
                ]
                $0.options = .with { $0.mapEntry = true }
            })
    }

    // MARK: - Enums and services

    private mutating func enumeration() throws(ProtoSyntaxError) -> Enum {
        var enumeration = Enum()
        try tokens.expect("enum")
        enumeration.name = try tokens.take()
        try tokens.expect("{")
        while try !tokens.take(if: "}") {
            if ["option", "reserved", ";"].contains(tokens.next) {
                try tokens.skipStatement()
                continue
            }
            let name = try tokens.take()
            try tokens.expect("=")
            enumeration.value.append(.init(name: name, number: try tokens.number()))
            if try tokens.take(if: "[") {
                var options = Field()
                repeat { try option(of: &options) } while try tokens.take(if: ",")
                try tokens.expect("]")
            }
            try tokens.expect(";")
        }
        return enumeration
    }

    private mutating func service() throws(ProtoSyntaxError)
        -> Google.Protobuf
        .ServiceDescriptorProto
    {
        try tokens.expect("service")
        var service = Google.Protobuf.ServiceDescriptorProto(name: try tokens.take())
        try tokens.expect("{")
        while try !tokens.take(if: "}") {
            if tokens.next == "option" || tokens.next == ";" {
                try tokens.skipStatement()
            } else {
                service.method.append(try method())
            }
        }
        return service
    }

    private mutating func method() throws(ProtoSyntaxError)
        -> Google.Protobuf
        .MethodDescriptorProto
    {
        var method = Google.Protobuf.MethodDescriptorProto()
        try tokens.expect("rpc")
        method.name = try tokens.take()
        try tokens.expect("(")
        if try tokens.take(if: "stream") { method.clientStreaming = true }
        method.inputType = try tokens.take()
        try tokens.expect(")")
        try tokens.expect("returns")
        try tokens.expect("(")
        if try tokens.take(if: "stream") { method.serverStreaming = true }
        method.outputType = try tokens.take()
        try tokens.expect(")")
        try tokens.skipStatement()
        return method
    }
}

extension Google.Protobuf.FieldDescriptorProto {
    fileprivate static func of(
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
    private static func jsonName(of name: String) -> String {
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
    fileprivate static func scalar(named name: String) -> Self? {
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
