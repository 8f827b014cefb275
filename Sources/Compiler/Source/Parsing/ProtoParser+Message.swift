import SwiftletMessages

// Messages, their oneofs, and extensions.
extension ProtoParser {
    typealias Message = Google.Protobuf.DescriptorProto
    typealias Field = Google.Protobuf.FieldDescriptorProto
    typealias Visibility = Google.Protobuf.SymbolVisibility

    mutating func message(
        at path: ProtoPath, _ visibility: Visibility?
    ) throws(BrokenStatement) -> Message {
        let location = open(path)
        defer { close(location) }
        lexer.advance()
        var message = Message()
        message.name = try name(at: path, "the name of the message")
        try body(of: &message, at: path, location)
        if isProto3 { message.addSyntheticOneofs() }
        message.visibility = visibility
        return message
    }

    mutating func name(at path: ProtoPath, _ what: String) throws(BrokenStatement) -> String {
        let location = open(path + [PathNumber.name])
        defer { close(location) }
        return try identifier(what)
    }

    /// Reads the block of a message or a group.
    mutating func body(
        of message: inout Message, at path: ProtoPath, _ location: Int
    ) throws(BrokenStatement) {
        guard depth < Self.depthLimit else {
            throw failure("messages are nested more than \(Self.depthLimit) deep")
        }
        depth += 1
        defer { depth -= 1 }
        try expect(endOf: location, "{")
        try block(of: "a message") { parser throws(BrokenStatement) in
            try parser.statement(of: &message, at: path)
        }
        message.replaceMaxRanges()
    }

    private mutating func statement(
        of message: inout Message, at path: ProtoPath
    ) throws(BrokenStatement) {
        let visibility = try visibility()
        switch lexer.current.text {
        case "message":
            let index = Int32(message.nestedType.count)
            message.nestedType.append(
                try self.message(at: path + [PathNumber.Message.nestedType, index], visibility))
        case "enum":
            let index = Int32(message.enumType.count)
            message.enumType.append(
                try enumeration(at: path + [PathNumber.Message.enumeration, index], visibility))
        case "extensions": try extensions(of: &message, at: path)
        case "reserved": try reserved(of: &message, at: path)
        case "extend":
            var scope = ExtendScope(
                path: path, extensionNumber: PathNumber.Message.extension,
                messageNumber: PathNumber.Message.nestedType)
            swap(&scope.extensions, &message.extension)
            swap(&scope.messages, &message.nestedType)
            defer {
                swap(&scope.extensions, &message.extension)
                swap(&scope.messages, &message.nestedType)
            }
            try extend(&scope)
        case "option":
            let position = lexer.current.position
            try optionStatement(&message.options, at: path + [PathNumber.Message.options])
            guard message.options?.uninterpretedOption.last?.isNamed("map_entry") != true else {
                throw failure(
                    "'map_entry' cannot be set; write map<KeyType, ValueType>", at: position)
            }
        case "oneof": try oneof(of: &message, at: path)
        default:
            let index = Int32(message.field.count)
            message.field.append(
                try field(
                    Field(), at: path + [PathNumber.Message.field, index],
                    groups: &message.nestedType, path + [PathNumber.Message.nestedType]))
        }
    }

    // MARK: - Oneofs

    private mutating func oneof(
        of message: inout Message, at path: ProtoPath
    ) throws(BrokenStatement) {
        let index = Int32(message.oneofDecl.count)
        let oneofPath = path + [PathNumber.Message.oneof, index]
        let location = open(oneofPath)
        defer { close(location) }
        lexer.advance()
        message.oneofDecl.append(.init(name: try name(at: oneofPath, "the name of the oneof")))
        try expect(endOf: location, "{")
        repeat {
            if isAtEnd { throw failure("the file ends inside a oneof ('}' expected)") }
            if isNext("option") {
                try optionStatement(
                    &message.oneofDecl[Int(index)].options,
                    at: oneofPath + [PathNumber.Oneof.options])
                continue
            }
            do throws(BrokenStatement) {
                try oneofField(of: &message, at: path, index)
            } catch { skipStatement() }
        } while !take(endOf: nil, if: "}")
    }

    private mutating func oneofField(
        of message: inout Message, at path: ProtoPath, _ oneof: Int32
    ) throws(BrokenStatement) {
        if ["required", "optional", "repeated"].contains(lexer.current.text) {
            lexer.fail("a field of a oneof has no label such as 'optional'")
            lexer.advance()
        }
        var field = Field()
        field.label = .optional
        field.oneofIndex = oneof
        let index = Int32(message.field.count)
        message.field.append(
            try fieldWithoutLabel(
                field, at: path + [PathNumber.Message.field, index],
                groups: &message.nestedType, path + [PathNumber.Message.nestedType]))
    }

    // MARK: - Extensions

    mutating func extend(_ scope: inout ExtendScope) throws(BrokenStatement) {
        let path = scope.path + [scope.extensionNumber]
        let location = open(path)
        defer { close(location) }
        lexer.advance()
        let first = lexer.current
        let extendee = try typeName()
        let last = lexer.previous
        try expect(endOf: location, "{")
        repeat {
            if isAtEnd { throw failure("the file ends inside an extension ('}' expected)") }
            var field = Field()
            field.extendee = extendee
            do throws(BrokenStatement) {
                let fieldPath = path + [Int32(scope.extensions.count)]
                let field = try self.field(
                    field, at: fieldPath, groups: &scope.messages,
                    scope.path + [scope.messageNumber]
                ) { parser in
                    let place = parser.open(
                        fieldPath + [PathNumber.Field.extendee], at: first.position)
                    parser.end(place, with: last)
                }
                scope.extensions.append(field)
            } catch { skipStatement() }
        } while !take(endOf: nil, if: "}")
    }
}

/// The declaration that gets the fields of an `extend` block: a file or a message.
struct ExtendScope {
    var path: ProtoPath
    var extensionNumber: Int32
    var messageNumber: Int32
    var extensions: [Google.Protobuf.FieldDescriptorProto] = []
    var messages: [Google.Protobuf.DescriptorProto] = []
}

extension Google.Protobuf.DescriptorProto {
    /// Adds each proto3 field with presence to its own oneof. These oneofs follow the oneofs of the source.
    fileprivate mutating func addSyntheticOneofs() {
        guard field.contains(where: { $0.proto3Optional == true }) else { return }
        var names = Set(field.compactMap(\.name) + oneofDecl.compactMap(\.name))
        // The index of each name's oneof. Fields with the same name share one: the linker refuses them, and a search for
        // a free name for each of them would take cubic time.
        var oneofs: [String: Int32] = [:]
        for index in field.indices where field[index].proto3Optional == true {
            let own = field[index].name ?? ""
            if oneofs[own] == nil {
                var name = own.hasPrefix("_") ? own : "_" + own
                while !names.insert(name).inserted { name = "X" + name }
                oneofs[own] = Int32(oneofDecl.count)
                oneofDecl.append(.init(name: name))
            }
            field[index].oneofIndex = oneofs[own]
        }
    }
}

extension Google.Protobuf.UninterpretedOption {
    /// Whether the option is the standard option of that name.
    func isNamed(_ text: String) -> Bool {
        name.count == 1 && !name[0].isExtension && name[0].namePart == text
    }
}
