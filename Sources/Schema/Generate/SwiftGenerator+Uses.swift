extension SwiftGenerator {
    /// The names of the `.proto` files that must be generated as well, sorted. The generated source uses types of these
    /// files, and does not compile without them. Files whose types are in the library, or in a module of the options,
    /// are not included.
    ///
    /// The parameters are those of ``generate(_:files:types:)``, which must not throw for them.
    public func missingFiles(
        _ schema: Schema, files: [String]? = nil, types: [String] = []
    ) throws(SchemaError) -> [String] {
        let selection = try DeclarationSelection(types, in: schema)
        let named = try namedFiles(schema, files)
        let present = Set(named.map(\.name))
        var missing: Set<String> = []
        for file in named where !isElsewhere(file) {
            for used in usedFiles(file, selection) where !present.contains(used.name) {
                if !isElsewhere(used) { missing.insert(used.name) }
            }
        }
        return missing.inOrder()
    }

    /// The files that declare the types of the fields of a file's messages. If methods are generated, also
    /// the files of their requests and responses.
    func usedFiles(_ file: FileSchema, _ selection: DeclarationSelection) -> [FileSchema] {
        var used: [FileSchema] = []
        var pending = file.messages.filter(selection.contains)
        while let message = pending.popLast() {
            pending += message.messages
            for field in message.fields {
                if let file = field.message?.file { used.append(file) }
                if let file = field.enumeration?.file { used.append(file) }
            }
        }
        guard options.writesClients || options.writesFakes || options.writesServices else {
            return used
        }
        return used + usedByMethods(of: file, selection)
    }

    /// The files of the requests and responses of a file's services.
    func usedByMethods(
        of file: FileSchema, _ selection: DeclarationSelection
    ) -> [FileSchema] {
        file.services.filter(selection.contains).flatMap(\.methods).flatMap {
            [$0.input.file, $0.output.file]
        }
    }
}
