/// The top-level messages and enums that the chosen types and services need, with the types of all of
/// their fields.
struct DeclarationSelection {
    private var included: Set<String> = []
    private var services: Set<String> = []
    private let includesAll: Bool
    /// The chosen names with their files.
    private(set) var chosen: [(name: String, file: FileSchema)] = []

    /// Selects declarations by full names. No names select everything. Throws when a name is unknown.
    init(_ names: [String], in schema: Schema) throws(SchemaError) {
        includesAll = names.isEmpty
        var pending: [MessageSchema] = []
        for name in names {
            if let message = schema.message(name) {
                chosen.append((name, message.file))
                pending.append(message)
            } else if let enumeration = schema.enumeration(name) {
                chosen.append((name, enumeration.file))
                include(enumeration, &pending)
            } else if let service = schema.service(name) {
                chosen.append((name, service.file))
                services.insert(name)
                pending += service.methods.flatMap { [$0.input, $0.output] }
            } else {
                throw SchemaError(
                    declaration: name,
                    message: "no message, enum or service has this name; write it with its package")
            }
        }
        while let message = pending.popLast() { include(message, &pending) }
    }

    func contains(_ message: MessageSchema) -> Bool {
        includesAll || included.contains(message.fullName)
    }

    func contains(_ enumeration: EnumSchema) -> Bool {
        includesAll || included.contains(enumeration.fullName)
    }

    func contains(_ service: ServiceSchema) -> Bool {
        includesAll || services.contains(service.fullName)
    }
}

extension DeclarationSelection {
    private mutating func include(_ enumeration: EnumSchema, _ pending: inout [MessageSchema]) {
        if let parent = enumeration.parent { pending.append(parent) }
        included.insert(enumeration.fullName)
    }

    /// Includes the message, and adds the messages that it needs to `pending`.
    private mutating func include(_ message: MessageSchema, _ pending: inout [MessageSchema]) {
        guard included.insert(message.fullName).inserted else { return }
        if let parent = message.parent { pending.append(parent) }
        pending += message.messages
        for field in message.fields {
            if let target = field.message { pending.append(target) }
            if let enumeration = field.enumeration { include(enumeration, &pending) }
        }
    }
}
