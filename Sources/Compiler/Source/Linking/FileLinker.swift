import SwiftletMessages

/// Finds the declarations that the names in a file refer to, and completes the file's descriptor.
///
/// The steps are: declare names, resolve types, interpret options, resolve features, validate. A later step
/// runs only when the steps before it have found no mistake.
struct FileLinker {
    typealias Message = Google.Protobuf.DescriptorProto
    typealias Enum = Google.Protobuf.EnumDescriptorProto
    typealias Field = Google.Protobuf.FieldDescriptorProto

    let file: LinkedFile
    let symbols: SymbolTable
    let declared: Declarer

    private init(_ file: LinkedFile, _ symbols: SymbolTable) {
        self.file = file
        self.symbols = symbols
        declared = Declarer(file, symbols)
    }

    /// Completes `file`; mistakes are added to its problems.
    ///
    /// - Parameters:
    ///   - standard: The messages of descriptor.proto, for files that do not import it; nil for
    ///     descriptor.proto itself.
    ///   - isImported: Whether the file is read only because another one imports it. As in protoc, an option on
    ///     a declaration that is not its target is then no mistake.
    static func link(
        _ file: LinkedFile, _ symbols: SymbolTable, standard: StandardOptions?, isImported: Bool
    ) {
        let linker = FileLinker(file, symbols)
        linker.resolveNames()
        guard file.problems.isEmpty else { return }
        var interpreter = OptionInterpreter(
            file, symbols, standard: standard, checksTargets: !isImported)
        interpreter.interpretBuiltIn()
        guard file.problems.isEmpty else { return }
        FeatureResolver(file, linker.declared).resolve()
        interpreter.interpretExtensions()
        guard file.problems.isEmpty else { return }
        FileValidator(file, linker.declared).validate()
        interpreter.updateLocations()
    }

    // MARK: - Types

    private func resolveNames() {
        var descriptor = file.descriptor
        for index in descriptor.messageType.indices {
            resolve(
                &descriptor.messageType[index], in: file.package,
                at: [PathNumber.File.message, Int32(index)])
        }
        for index in descriptor.extension.indices {
            resolve(
                &descriptor.extension[index], in: file.package,
                at: [PathNumber.File.extension, Int32(index)])
        }
        for index in descriptor.service.indices {
            resolve(
                &descriptor.service[index], at: [PathNumber.File.service, Int32(index)])
        }
        file.descriptor = descriptor
    }

    private func resolve(_ message: inout Message, in scope: String, at path: ProtoPath) {
        let name = Declarer.join(scope, message.name)
        for index in message.field.indices {
            resolve(
                &message.field[index], in: name,
                at: path + [PathNumber.Message.field, Int32(index)])
        }
        for index in message.extension.indices {
            resolve(
                &message.extension[index], in: name,
                at: path + [PathNumber.Message.extension, Int32(index)])
        }
        for index in message.nestedType.indices {
            resolve(
                &message.nestedType[index], in: name,
                at: path + [PathNumber.Message.nestedType, Int32(index)])
        }
    }

    private func resolve(_ field: inout Field, in scope: String, at path: ProtoPath) {
        guard let linked = declared.fields[path] else { return }
        if field.jsonName == nil { field.jsonName = JSONName.ofField(field.name ?? "") }
        if let name = field.extendee { resolveExtendee(name, of: &field, linked, scope, path) }
        guard let name = field.typeName else { return }
        let place = path + [PathNumber.Field.typeName]
        // Only types are searched, so that a field may have the same name as its type.
        guard let found = symbol(name, in: scope, typesOnly: true, at: place) else { return }
        field.typeName = "." + found.fullName
        switch found.symbol.kind {
        case .message(let message):
            checkVisible(message.isLocal, found.symbol, found.fullName, at: place)
            linked.message = message
            if field.type == nil { field.type = .message }
            if message.isMapEntry, !isMapField(field, message, path) {
                file.fail(
                    "'\(found.fullName)' is the type of a map's entries and cannot be used",
                    at: place)
            }
        case .enumeration(let type):
            checkVisible(type.isLocal, found.symbol, found.fullName, at: place)
            linked.enumeration = type
            if field.type == nil { field.type = .enumeration }
        default: file.fail("'\(found.fullName)' is not a type", at: place)
        }
        linked.type = field.type
    }

    /// Whether the declaration of this field has made the entry type.
    private func isMapField(_ field: Field, _ entry: LinkedMessage, _ path: ProtoPath) -> Bool {
        guard let container = declared.fields[path]?.container else { return false }
        return field.label == .repeated
            && entry.fullName == container.fullName + "."
                + MapEntryTypes.name(for: field.name ?? "")
    }

    private func resolveExtendee(
        _ name: String, of field: inout Field, _ linked: LinkedField, _ scope: String,
        _ path: ProtoPath
    ) {
        let place = path + [PathNumber.Field.extendee]
        guard let found = symbol(name, in: scope, typesOnly: true, at: place) else { return }
        field.extendee = "." + found.fullName
        guard case .message(let message) = found.symbol.kind else {
            return file.fail("'\(found.fullName)' is not a message", at: place)
        }
        checkVisible(message.isLocal, found.symbol, found.fullName, at: place)
        linked.container = message
        let number = path + [PathNumber.Field.number]
        guard message.extensionRanges.range(with: linked.number) != nil else {
            return file.fail(
                "'\(message.fullName)' has no extension range with \(linked.number)", at: number)
        }
        // As in protoc, another extension with the same number is an error only if this file can see its declaration.
        if let existing = symbols.declare(extension: linked, of: message),
            file.visibleFiles.contains(existing.file.index)
        {
            file.fail(
                """
                number \(linked.number) of '\(message.fullName)' is already the extension \
                '\(existing.fullName)' in file '\(existing.file.name)'
                """, at: number)
        }
    }

    private func resolve(
        _ service: inout Google.Protobuf.ServiceDescriptorProto, at path: ProtoPath
    ) {
        let scope = Declarer.join(file.package, service.name)
        for index in service.method.indices {
            let path = path + [PathNumber.Service.method, Int32(index)]
            resolveParameter(
                &service.method[index].inputType, in: scope,
                at: path + [PathNumber.Method.inputType])
            resolveParameter(
                &service.method[index].outputType, in: scope,
                at: path + [PathNumber.Method.outputType])
        }
    }

    private func resolveParameter(_ name: inout String?, in scope: String, at path: ProtoPath) {
        guard let spelt = name,
            let found = symbol(spelt, in: scope, typesOnly: false, at: path)
        else { return }
        guard case .message(let message) = found.symbol.kind else {
            return file.fail("'\(found.fullName)' is not a message", at: path)
        }
        checkVisible(message.isLocal, found.symbol, found.fullName, at: path)
        name = "." + found.fullName
    }

    // MARK: - Names

    private func symbol(
        _ name: String, in scope: String, typesOnly: Bool, at path: ProtoPath
    ) -> (symbol: ProtoSymbol, fullName: String)? {
        switch symbols.find(name, in: scope, from: file, typesOnly: typesOnly) {
        case .found(let symbol, let fullName): return (symbol, fullName)
        case .notImported(let other):
            file.fail(
                "'\(name)' is declared in '\(other.name)', which is not imported", at: path)
        case .resolvedTo(let fullName):
            file.fail(
                """
                '\(name)' means '\(fullName)' here, which is not declared; the innermost scope \
                decides, and a leading '.' starts from the outermost
                """, at: path)
        case .unknown: file.fail("unknown type '\(name)'", at: path)
        }
        return nil
    }

    private func checkVisible(
        _ isLocal: Bool, _ symbol: ProtoSymbol, _ fullName: String, at path: ProtoPath
    ) {
        if isLocal, symbol.file !== file {
            file.fail(
                """
                '\(fullName)' is local to '\(symbol.file.name)'; declare it with 'export' to use \
                it in other files
                """, at: path)
        }
    }
}
