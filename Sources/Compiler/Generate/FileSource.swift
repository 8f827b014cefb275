import SwiftletMessages

/// Writes the Swift source of one `.proto` file.
struct FileSource {
    let file: FileSchema
    let names: TypeNames
    let selection: DeclarationSelection
    let options: GeneratorOptions
    let recursion: RecursiveFields

    init(
        _ file: FileSchema, _ names: TypeNames, _ recursion: RecursiveFields,
        _ selection: DeclarationSelection, _ options: GeneratorOptions
    ) {
        self.file = file
        self.names = names
        self.recursion = recursion
        self.selection = selection
        self.options = options
    }

    private var namespace: [String] { names.namespace(file.package) }
    private var services: [ServiceSchema] { file.services.filter(selection.contains) }

    /// The generated files: one with the enums, messages and clients, and one with the fakes and
    /// services for tests if the options include them. A file without declarations is left out,
    /// unless `writesEmptyFiles` is set.
    func generate() -> [GeneratedFile] {
        let messages = options.writesMessages ? file.messages.filter(selection.contains) : []
        let enums = options.writesMessages ? file.enums.filter(selection.contains) : []
        var results: [GeneratedFile] = []
        let usesMethods = options.writesClients || options.writesFakes || options.writesServices
        let isEmpty = messages.isEmpty && enums.isEmpty && (services.isEmpty || !usesMethods)
        if isEmpty, options.writesEmptyFiles {
            results.append(emptyFile())
        } else if !isEmpty {
            var writer = SourceWriter()
            let used = SwiftGenerator(options).uses(of: file, selection).map(\.file)
            writeStart(
                imports: ["Swiftlet"] + importedModules + providedModules(used),
                with: [styles, codecImport].compactMap(\.self), &writer)
            writeExtension(&writer) { writer in
                for enumeration in enums { write(enumeration, &writer) }
                for message in messages { write(message, &writer) }
                guard usesMethods else { return }
                for service in services { write(service, &writer) }
            }
            for service in services where options.writesClients {
                writeConveniences(service, &writer)
                writeFaces(service, &writer)
            }
            if options.messages == .swiftProtobuf { writeCodec(&writer) }
            results.append(GeneratedFile(path: options.path(file), source: writer.text))
        }
        if options.writesFakes || options.writesServices {
            if !services.isEmpty {
                results.append(generateTesting())
            } else if options.writesEmptyFiles {
                results.append(emptyFile(suffix: Self.testingSuffix))
            }
        }
        return results
    }

    /// Returns the files that ``generate()`` makes, but without declarations.
    func emptyFiles() -> [GeneratedFile] {
        let testing = options.writesFakes || options.writesServices
        return [emptyFile()] + (testing ? [emptyFile(suffix: Self.testingSuffix)] : [])
    }

    private func emptyFile(suffix: String = "") -> GeneratedFile {
        var writer = SourceWriter()
        writeStart(imports: [], &writer)
        return GeneratedFile(path: options.path(file, suffix: suffix), source: writer.text)
    }

    /// The end of the name of the file with fakes and services, before the extension.
    private static let testingSuffix = "+Testing"

    private func generateTesting() -> GeneratedFile {
        var writer = SourceWriter()
        let used = SwiftGenerator(options).usesByMethods(of: file, selection).map(\.file)
        writeStart(
            imports: ["Swiftlet", "SwiftletLoopback"] + importedModules + providedModules(used),
            &writer)
        writeExtension(&writer) { writer in
            for service in services { writeTesting(service, &writer) }
        }
        for service in services where options.writesServices {
            writeRegistration(service, &writer)
        }
        return GeneratedFile(
            path: options.path(file, suffix: Self.testingSuffix), source: writer.text)
    }

    /// The shortest name of a declaration in the scope with that path.
    func reference(_ declaration: some SchemaElement, from scope: [String]) -> String {
        names.reference(to: declaration, from: scope, package: file.package)
    }

    /// The name of the request or response of a method in the scope with that path.
    func messageReference(_ message: MessageSchema, from scope: [String]) -> String {
        switch options.messages {
        case .swiftlet: reference(message, from: scope)
        case .swiftProtobuf: SwiftProtobufNames.name(of: message)
        }
    }
}

// MARK: - Header and imports of a file

extension FileSource {
    /// The modules that have the types of this file and of imported ones, and those that declare the namespaces around
    /// this file's declarations.
    private var importedModules: [String] {
        var found = Set(SwiftGenerator.prefixes(namespace).compactMap { names.modules[$0] })
        var seen: Set<String> = []
        // Messages of SwiftProtobuf that are made from this file can be in another module as well.
        var pending = file.dependencies + [file]
        while let next = pending.popLast() {
            guard seen.insert(next.name).inserted else { continue }
            if let module = options.modules[next.name] { found.insert(module) }
            pending += next.descriptor.publicDependency.compactMap {
                let index = Int($0)
                return next.dependencies.indices.contains(index) ? next.dependencies[index] : nil
            }
        }
        return found.inOrder()
    }

    /// The import of the module with calls that are not `async`, if a client has such functions. It is public only if a
    /// declaration has a type of the module: the compiler warns of a public import that bodies alone use.
    private var styles: (module: String, keyword: String)? {
        let methods = services.flatMap(\.methods)
        guard options.writesClients, !methods.isEmpty, !options.faces.isEmpty else { return nil }
        let hasTypes =
            options.faces != [.blocking]
            || methods.contains { $0.streamsRequests || $0.streamsResponses }
        return ("SwiftletStyles", hasTypes ? options.importKeyword : plainKeyword)
    }

    /// The import of the module whose messages the codec of the file is for.
    private var codecImport: (module: String, keyword: String)? {
        options.messages == .swiftProtobuf ? (SwiftProtobufNames.module, plainKeyword) : nil
    }

    /// Imports a module that no declaration refers to. Beside `package import` in other files, a plain import is an error
    /// in some modes of the compiler.
    private var plainKeyword: String {
        options.visibility == .package ? "internal import " : "import "
    }

    /// The modules, besides `Swiftlet` and those of the options, that the types of these files need. Most files import
    /// descriptor.proto only for their options, and the compiler warns of an unused import.
    private func providedModules(_ used: [FileSchema]) -> [String] {
        switch options.messages {
        case .swiftlet:
            used.filter { options.modules[$0.name] == nil }
                .compactMap { ProvidedTypes.modules[$0.name] }
        case .swiftProtobuf:
            services.flatMap(\.methods).flatMap { [$0.input, $0.output] }
                .contains {
                    SwiftProtobufNames.isProvided($0) && options.modules[$0.file.name] == nil
                }
                ? [SwiftProtobufNames.module] : []
        }
    }

    private func writeStart(
        imports: [String], with others: [(module: String, keyword: String)] = [],
        _ writer: inout SourceWriter
    ) {
        let name = SwiftLiteral.quoted(file.name).dropFirst().dropLast()
        writer.line("\(GeneratedFile.mark) from \(name). Do not edit.")
        guard !imports.isEmpty else { return }
        var keywords = Dictionary(
            imports.map { ($0, options.importKeyword) }, uniquingKeysWith: { first, _ in first })
        for other in others where keywords[other.module] == nil {
            keywords[other.module] = other.keyword
        }
        for (module, keyword) in keywords.inOrder(by: { $0.key < $1.key }) {
            writer.line(keyword + module)
        }
        writer.separate()
    }

    private func writeExtension(
        _ writer: inout SourceWriter, _ body: (inout SourceWriter) -> Void
    ) {
        guard !namespace.isEmpty else { return body(&writer) }
        writer.block("extension \(namespace.joined(separator: "."))", body)
    }
}
