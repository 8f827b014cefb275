import SwiftletMessages

/// Builds the tables of a schema. First it gives every declaration a name and an index. Then it resolves the
/// references between declarations.
struct SchemaBuilder {
    typealias Proto = Google.Protobuf

    var files: [FileEntry] = []
    var messages: [MessageEntry] = []
    var fields: [FieldEntry] = []
    var oneofs: [OneofEntry] = []
    var enums: [EnumEntry] = []
    var services: [ServiceEntry] = []
    var methods: [MethodEntry] = []
    var fileIndices: [String: Int] = [:]
    var symbols: [String: SchemaPool.Symbol] = [:]
    var layouts: [FieldLayout] = []
    var messageLayouts: [MessageLayout] = []
    var tables = FieldTables()

    mutating func build(_ input: [Proto.FileDescriptorProto]) throws(SchemaError) -> SchemaPool {
        for file in input { try declare(file) }
        for file in files.indices { try resolveImports(of: file) }
        for field in fields.indices { try resolve(field: field) }
        for method in methods.indices { try resolve(method: method) }
        for message in messages.indices { try layOut(message: message) }
        markRequiredChecks()
        markSharedOneofs()
        return SchemaPool(self)
    }

    // MARK: Names

    /// The full name of a declaration in a scope. The scope is empty at the top level of a file without a
    /// package.
    static func join(_ scope: String, _ name: String) -> String {
        scope.isEmpty ? name : "\(scope).\(name)"
    }

    /// Registers the full name of a declaration. Throws if the name is already registered, unless both
    /// are packages.
    mutating func claim(
        _ fullName: String, _ symbol: SchemaPool.Symbol, in file: Int
    ) throws(SchemaError) {
        guard let old = symbols.updateValue(symbol, forKey: fullName) else { return }
        if case .package = old, case .package = symbol { return }
        throw error(file, fullName, "the name is declared twice")
    }

    private mutating func claimPackage(_ package: String, in file: Int) throws(SchemaError) {
        guard !package.isEmpty else { return }
        if let problem = ProtoName.problem(inPackage: package) {
            throw error(file, ProtoName.shown(package), problem)
        }
        var scope = ""
        for part in package.split(separator: ".") {
            scope = Self.join(scope, String(part))
            try claim(scope, .package, in: file)
        }
    }

    func error(_ file: Int, _ declaration: String, _ message: String) -> SchemaError {
        SchemaError(
            file: files.indices.contains(file) ? files[file].proto.name ?? "" : "",
            declaration: declaration, message: message)
    }

    /// The full name of a declaration in a scope. Throws if its name is not an identifier, or if its full name is
    /// too long.
    func name(_ name: String?, in scope: String, file: Int) throws(SchemaError) -> String {
        let place = scope.isEmpty ? files[file].proto.name ?? "" : scope
        guard let name, !name.isEmpty else {
            throw error(file, place, "a declaration in it has no name")
        }
        guard ProtoName.isIdentifier(name) else {
            throw error(
                file, place,
                """
                the name '\(ProtoName.shown(name))' of a declaration in it is not an identifier: a \
                letter or '_', then letters, digits and '_'
                """)
        }
        let fullName = Self.join(scope, name)
        if let problem = ProtoName.problem(inFullName: fullName) {
            throw error(file, place, "'\(ProtoName.shown(name))' in it: \(problem)")
        }
        return fullName
    }

    // MARK: Declarations

    private mutating func declare(_ proto: Proto.FileDescriptorProto) throws(SchemaError) {
        let name = proto.name ?? ""
        guard !name.isEmpty else {
            throw SchemaError(
                declaration: ProtoName.shown(proto.package ?? ""), message: "a file has no name")
        }
        if let problem = ProtoName.problem(inRegisteredFileName: name) {
            throw SchemaError(declaration: ProtoName.shown(name), message: problem)
        }
        if let old = fileIndices[name] {
            guard files[old].proto == proto else {
                throw SchemaError(
                    file: name, declaration: name, message: "two different files have this name")
            }
            return
        }
        let index = files.count
        fileIndices[name] = index
        files.append(
            FileEntry(
                proto: proto, features: try SchemaFeatures(file: proto),
                comments: SchemaComments.all(of: proto)))
        try claimPackage(proto.package ?? "", in: index)

        let scope = Scope(name: proto.package ?? "", file: index, features: files[index].features)
        for (position, each) in proto.messageType.enumerated() {
            files[index].messages.append(try declare(message: each, position, in: scope))
        }
        for (position, each) in proto.enumType.enumerated() {
            files[index].enums.append(try declare(enum: each, position, in: scope))
        }
        for (position, each) in proto.extension.enumerated() {
            files[index].extensions.append(
                try declare(field: each, position, in: scope, isExtension: true))
        }
        for (position, each) in proto.service.enumerated() {
            files[index].services.append(try declare(service: each, position, in: scope))
        }
    }

    private mutating func resolveImports(of file: Int) throws(SchemaError) {
        let proto = files[file].proto
        let weak = Set(proto.weakDependency)
        for (position, name) in proto.dependency.enumerated() {
            // A name that no file can have is not looked up.
            let canExist = ProtoName.problem(inRegisteredFileName: name) == nil
            guard canExist, let index = fileIndices[name] else {
                if weak.contains(Int32(position)) { continue }
                throw error(
                    file, ProtoName.shown(name),
                    "the imported file is missing; add it to the schema's files")
            }
            files[file].dependencies.append(index)
        }
    }
}

extension SchemaBuilder {
    /// The properties that a declaration inherits from the declaration around it.
    struct Scope {
        var name: String
        var file: Int
        /// The message; nil at the top level of a file.
        var message: Int?
        var features: SchemaFeatures
    }
}
