extension SwiftGenerator {
    /// The use of a type by a field or a method, whose full name is `user`.
    struct TypeUse {
        let user: String
        let type: String
        let file: FileSchema
    }

    /// Throws for a type that was chosen or that the source of these files uses, if the type is neither generated with
    /// them, nor in the library, nor in a module of the options. A chosen type would be missing, and the source would
    /// not compile. Messages of SwiftProtobuf are never generated here.
    func refuseMissingTypes(
        _ files: [FileSchema], _ selection: DeclarationSelection
    ) throws(SchemaError) {
        let present = Set(files.map(\.name))
        func isMissing(_ file: FileSchema) -> Bool {
            !present.contains(file.name) && !isElsewhere(file)
        }
        for (name, file) in selection.chosen where isMissing(file) {
            throw SchemaError(
                declaration: name,
                message: """
                    it is declared in '\(file.name)', which is not generated; add that file
                    """)
        }
        guard options.messages == .swiftlet else { return }
        for file in files where !isElsewhere(file) {
            for use in uses(of: file, selection) where isMissing(use.file) {
                throw SchemaError(
                    file: file.name, declaration: use.user,
                    message: """
                        its type \(use.type) is declared in '\(use.file.name)', which is not generated; \
                        add that file (in swiftlet.json: 'files'), or name the module of its types \
                        (--modules; in swiftlet.json: 'modules')
                        """)
            }
        }
    }

    /// The types of the fields of a file's messages. If methods are generated, also the types of their requests and
    /// responses.
    func uses(of file: FileSchema, _ selection: DeclarationSelection) -> [TypeUse] {
        var uses: [TypeUse] = []
        for message in file.messages where options.writesMessages && selection.contains(message) {
            Self.append(message, to: &uses)
        }
        guard options.writesClients || options.writesFakes || options.writesServices else {
            return uses
        }
        return uses + usesByMethods(of: file, selection)
    }

    private static func append(_ message: MessageSchema, to uses: inout [TypeUse]) {
        for field in message.fields {
            let value = field.mapValue ?? field
            if let type = value.message {
                uses.append(TypeUse(user: field.fullName, type: type.fullName, file: type.file))
            }
            if let type = value.enumeration {
                uses.append(TypeUse(user: field.fullName, type: type.fullName, file: type.file))
            }
        }
        for inner in message.messages where !inner.isMapEntry { append(inner, to: &uses) }
    }

    /// The types of the requests and responses of a file's services.
    func usesByMethods(of file: FileSchema, _ selection: DeclarationSelection) -> [TypeUse] {
        file.services.filter(selection.contains).flatMap(\.methods).flatMap { method in
            [method.input, method.output].map {
                TypeUse(user: method.fullName, type: $0.fullName, file: $0.file)
            }
        }
    }
}
