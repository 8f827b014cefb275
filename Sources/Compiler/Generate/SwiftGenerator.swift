import SwiftletMessages

/// Writes the Swift source of messages, enums and services.
///
/// ```swift
/// let files = try SwiftGenerator().generate(schema, files: ["helloworld.proto"])
/// ```
///
/// The source uses only public declarations: those of `Swiftlet`, of the modules in the options, of
/// `SwiftletLoopback` for fakes and server protocols, of `SwiftletStyles` for functions that are not `async`, and of
/// `SwiftletWellKnown` and `SwiftletDynamic` where fields or methods have types of these modules. It is formatted. It
/// depends only on the schema and the options: two runs write the same bytes.
///
/// Enums keep numbers that the `.proto` file does not name, also the closed enums of proto2.
/// Extensions get no properties; they are kept in `unknownFields`.
public struct SwiftGenerator: Sendable {
    /// The declarations that are written, and their names.
    public var options: GeneratorOptions

    /// Makes a generator.
    public init(_ options: GeneratorOptions = GeneratorOptions()) { self.options = options }

    /// Generates source for some files of a schema. If their packages need namespaces, one more file declares these
    /// namespaces.
    ///
    /// - Parameters:
    ///   - schema: The files, and all that they import.
    ///   - files: The names of the files to generate. Default: all files of the schema. Files whose types
    ///     are in the library, or in one of the option's modules, are left out.
    ///   - types: The full names of messages, enums and services. Only these are generated, with the
    ///     types that they need. Default: everything in the files.
    ///
    /// Throws when the schema has no such file or no such type, when two sources would have one name, and when one of
    /// `types` or a type that the source would use does not exist: its file is not among `files`, the library does not
    /// have it, and the options name no module for it.
    public func generate(
        _ schema: Schema, files: [String]? = nil, types: [String] = []
    ) throws(SchemaError) -> [GeneratedFile] {
        let selection = try DeclarationSelection(types, in: schema)
        let named = try namedFiles(schema, files)
        try refuseMissingTypes(named, selection)
        let chosen = named.filter { !isElsewhere($0) }
        let names = TypeNames(schema, modules: options.namespaceModules)
        let recursion = RecursiveFields(schema.pool)
        var results: [GeneratedFile] = []
        for file in named {
            let source = FileSource(file, names, recursion, selection, options)
            if !isElsewhere(file) {
                results += source.generate()
            } else if files != nil, options.writesEmptyFiles {
                results += source.emptyFiles()
            }
        }
        if let namespaces = namespaces(of: chosen, names) { results.append(namespaces) }
        try refuseEqualPaths(results)
        return results
    }

    private func namedFiles(
        _ schema: Schema, _ names: [String]?
    ) throws(SchemaError) -> [FileSchema] {
        guard let names else { return schema.files }
        var files: [FileSchema] = []
        var known: Set<String> = []
        for name in names where known.insert(name).inserted {
            guard let file = schema.file(name) else {
                throw SchemaError(
                    file: name, declaration: name, message: "the schema has no such file")
            }
            files.append(file)
        }
        return files
    }

    /// Whether the types of the file are in the library, or in another module.
    func isElsewhere(_ file: FileSchema) -> Bool {
        switch options.messages {
        case .swiftlet: ProvidedTypes.files.contains(file.name) || options.modules[file.name] != nil
        case .swiftProtobuf: false
        }
    }

    private func refuseEqualPaths(_ files: [GeneratedFile]) throws(SchemaError) {
        var paths: Set<String> = []
        for file in files where !paths.insert(file.path).inserted {
            throw SchemaError(
                declaration: file.path,
                message: "two files would have this name; choose another file naming")
        }
    }
}

// MARK: - Namespaces

extension SwiftGenerator {
    /// The file that declares the namespaces of the packages; nil when there are none to declare.
    private func namespaces(of files: [FileSchema], _ names: TypeNames) -> GeneratedFile? {
        let needed = Set(files.flatMap { Self.prefixes(names.namespace($0.package)) })
            .subtracting(names.modules.keys)
        let aliases = names.rootAliases.inOrder { $0.key < $1.key }
        guard !needed.isEmpty || !aliases.isEmpty || options.writesEmptyFiles else { return nil }
        var writer = SourceWriter()
        writer.line("\(GeneratedFile.mark). Do not edit.")
        writer.line("// The packages of the .proto files, as namespaces.")
        let others = needed.map { Array($0.dropLast()) } + aliases.map { [$0.value] }
        let imports = Set(others.compactMap { names.modules[$0] })
        if !imports.isEmpty {
            writer.separate()
            for module in imports.inOrder() { writer.line(options.importKeyword + module) }
        }
        for path in needed.inOrder(by: { $0.lexicographicallyPrecedes($1) }) {
            write(path, needed, &writer)
        }
        for (alias, root) in aliases {
            writer.separate()
            writer.documentation(["`\(root)`, where a type inside another one hides it."])
            writer.line("\(options.access)typealias \(alias) = \(root)")
        }
        // No .proto file is named so, while there can be a Packages.proto.
        return GeneratedFile(path: "+Packages.\(options.fileExtension)", source: writer.text)
    }

    /// Writes a namespace with the namespaces inside it. Does nothing if the parent of the namespace is also needed:
    /// the parent then writes it.
    private func write(_ path: [String], _ needed: Set<[String]>, _ writer: inout SourceWriter) {
        let parent = Array(path.dropLast())
        guard !needed.contains(parent) else { return }
        writer.separate()
        guard !parent.isEmpty else { return declare(path, needed, &writer) }
        writer.block("extension \(parent.joined(separator: "."))") { declare(path, needed, &$0) }
    }

    private func declare(_ path: [String], _ needed: Set<[String]>, _ writer: inout SourceWriter) {
        guard let name = path.last else { return }
        let opening = "\(options.access)enum \(name)"
        let nested = needed.filter { $0.dropLast() == path[...] }
            .inOrder { $0.lexicographicallyPrecedes($1) }
        guard !nested.isEmpty else { return writer.line(opening + " {}") }
        writer.block(opening) { writer in
            for each in nested {
                writer.separate()
                declare(each, needed, &writer)
            }
        }
    }

    static func prefixes(_ path: [String]) -> [[String]] {
        path.indices.map { Array(path[...$0]) }
    }
}

extension GeneratorOptions {
    /// The access level with a space; nothing for internal.
    var access: String { visibility == .internal ? "" : "\(visibility.rawValue) " }

    /// Whether the source has messages and enums.
    var writesMessages: Bool { messages == .swiftlet && !writesServicesOnly }

    /// The modules that have the names of this generator, by the name of the `.proto` file. Messages of SwiftProtobuf
    /// have other names, and their modules declare no namespaces.
    var namespaceModules: [String: String] { messages == .swiftlet ? modules : [:] }

    /// The import of a module whose types the declarations use.
    var importKeyword: String { access + "import " }

    /// The path of the source that is generated for a `.proto` file.
    func path(_ file: FileSchema, suffix: String = "") -> String {
        var name = file.name.hasSuffix(".proto") ? String(file.name.dropLast(6)) : file.name
        switch fileNaming {
        case .fullPath: break
        case .dropPath: name = name.split(separator: "/").last.map(String.init) ?? name
        case .pathToUnderscores: name = String(name.map { $0 == "/" ? "_" : $0 })
        }
        return "\(name)\(suffix).\(fileExtension)"
    }
}
