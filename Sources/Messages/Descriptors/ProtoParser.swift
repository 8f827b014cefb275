/// Reads the declarations of a `.proto` file. Types are left as they are spelt; ``TypeNames`` finds
/// what they mean when the whole file is known.
///
/// Options are passed over, but for those that say how a message, an enum or a field is used.
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
            case "option": try option(of: &message)
            case "reserved": try reserved(into: &message)
            case "extensions": try extensions(into: &message)
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
        let (name, value) = try option()
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
        // Of the field's own name: what it is called in JSON may be anything.
        let camel = Field.jsonName(of: field.name ?? "")
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
            switch tokens.next {
            case ";": try tokens.expect(";")
            case "option": try option(of: &enumeration)
            case "reserved": try reserved(into: &enumeration)
            default: enumeration.value.append(try enumValue())
            }
        }
        return enumeration
    }

    private mutating func enumValue() throws(ProtoSyntaxError)
        -> Google.Protobuf
        .EnumValueDescriptorProto
    {
        let name = try tokens.take()
        try tokens.expect("=")
        let value = Google.Protobuf.EnumValueDescriptorProto(
            name: name, number: try tokens.number())
        if try tokens.take(if: "[") {
            repeat { _ = try option() } while try tokens.take(if: ",")
            try tokens.expect("]")
        }
        try tokens.expect(";")
        return value
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

    // MARK: - Options, and what is not to be used

    /// An option's name and value. The value is empty when it is a whole message, as it may be in an
    /// option that somebody else has declared.
    private mutating func option() throws(ProtoSyntaxError) -> (name: String, value: String) {
        var name = ""
        while tokens.next != "=" { name += try tokens.take() }
        try tokens.expect("=")
        if tokens.next == "{" {
            try tokens.skipBlock()
            return (name, "")
        }
        return (name, tokens.isString ? try tokens.string() : try tokens.take())
    }

    private mutating func option(of message: inout Message) throws(ProtoSyntaxError) {
        try tokens.expect("option")
        let (name, value) = try option()
        if name == "deprecated" { message.options = .init(deprecated: value == "true") }
        try tokens.skipToSemicolon()
    }

    private mutating func option(of enumeration: inout Enum) throws(ProtoSyntaxError) {
        try tokens.expect("option")
        let (name, value) = try option()
        var options = enumeration.options ?? .init()
        switch name {
        case "allow_alias": options.allowAlias = value == "true"
        case "deprecated": options.deprecated = value == "true"
        default: break
        }
        if options != .init() { enumeration.options = options }
        try tokens.skipToSemicolon()
    }

    private mutating func reserved(into message: inout Message) throws(ProtoSyntaxError) {
        try tokens.expect("reserved")
        if let names = try names() {
            message.reservedName += names
        } else {
            message.reservedRange += try ranges(in: 1...Field.greatestNumber).map {
                .init(start: $0.lowerBound, end: $0.upperBound + 1)
            }
        }
        try tokens.expect(";")
    }

    private mutating func reserved(into enumeration: inout Enum) throws(ProtoSyntaxError) {
        try tokens.expect("reserved")
        if let names = try names() {
            enumeration.reservedName += names
        } else {
            enumeration.reservedRange += try ranges(in: .min ... .max).map {
                .init(start: $0.lowerBound, end: $0.upperBound)
            }
        }
        try tokens.expect(";")
    }

    private mutating func extensions(into message: inout Message) throws(ProtoSyntaxError) {
        try tokens.expect("extensions")
        message.extensionRange += try ranges(in: 1...Field.greatestNumber).map {
            .init(start: $0.lowerBound, end: $0.upperBound + 1)
        }
        try tokens.skipToSemicolon()
    }

    /// Names between quotation marks, or nil when none is due.
    private mutating func names() throws(ProtoSyntaxError) -> [String]? {
        guard tokens.isString else { return nil }
        var names: [String] = []
        repeat { names.append(try tokens.string()) } while try tokens.take(if: ",")
        return names
    }

    /// Numbers such as `2, 9 to 11, 100 to max`, of those that are `legal`.
    private mutating func ranges(
        in legal: ClosedRange<Int32>
    ) throws(ProtoSyntaxError) -> [ClosedRange<Int32>] {
        var ranges: [ClosedRange<Int32>] = []
        repeat {
            let first = try tokens.number()
            var last = first
            if try tokens.take(if: "to") {
                last = try tokens.take(if: "max") ? legal.upperBound : try tokens.number()
            }
            guard first <= last, legal.contains(first), legal.contains(last) else {
                throw tokens.failure("\(first) to \(last) is not a range of numbers here")
            }
            ranges.append(first...last)
        } while try tokens.take(if: ",")
        return ranges
    }
}
