/// The Swift name of each type of a schema.
///
/// A package is a namespace: `grpc.health.v1` is `Grpc.Health.V1`, nested enums without cases. Names are
/// chosen for all files of the schema in their order. So they do not depend on which files are generated. The files of
/// other modules come first, because these modules have chosen their names without the other files.
struct TypeNames {
    /// The components of the Swift name, keyed by the full name.
    private var paths: [String: [String]] = [:]
    /// The Swift names that each namespace or type declares.
    private var scopes: [[String]: NameScope] = [:]
    private var packages: [String: [String]] = ProvidedTypes.packages
    /// The other modules that declare namespaces, and types at the top level, keyed by the path. If the packages of
    /// several modules begin alike, the first one of them declares the namespace.
    private(set) var modules: [[String]: String] = [:]
    private let reserved = SwiftWords.typeNames
    /// Names that a property cannot have: those of `SwiftWords`, and names of types. In an expression, the name of
    /// the type would mean the property. A box has the name of its property with an underscore, and cannot have the
    /// name of a type either. Names of properties do not begin with a capital letter, so most types are not included.
    private(set) var propertyNames = SwiftWords.propertyNames
    private let aliases = RootAliases()

    /// - Parameter modules: The other modules that have names of this generator, by the name of the `.proto` file.
    init(_ schema: Schema, modules: [String: String]) {
        for path in packages.values {
            if let name = path.last { _ = claim(name, "", in: Array(path.dropLast())) }
            self.modules[path] = "Swiftlet"
        }
        var files = schema.files
        while let module = files.lazy.compactMap({ modules[$0.name] }).first {
            add(files.filter { modules[$0.name] == module }, of: module)
            files.removeAll { modules[$0.name] == module }
        }
        add(files, of: nil)
    }

    /// The components of the namespace of a package; empty for the empty package.
    func namespace(_ package: String) -> [String] { packages[package] ?? [] }

    /// The components of a declaration's Swift name. The declaration is a message that is no entry of a map, an enum
    /// or a oneof. All of them have a name, so generated source never contains a name that is not spelt for Swift.
    func path(_ declaration: some SchemaElement) -> [String] { path(key: declaration.fullName) }

    private func path(key: String) -> [String] {
        guard let path = paths[key] else {
            preconditionFailure("a declaration of the schema has no Swift name")
        }
        return path
    }

    /// The name of a declaration in the scope around it.
    func name(_ declaration: some SchemaElement) -> String { path(declaration).last ?? "" }
}

// MARK: - Choosing names

extension TypeNames {
    private mutating func claim(
        _ name: String, _ suffix: String, in scope: [String], reserved: Set<String> = [],
        _ more: Set<String> = []
    ) -> String {
        // Two sets, because a union for each name costs as much as all names.
        let name = scopes[scope, default: NameScope()]
            .claim(name, suffix: suffix, reserved: reserved, more)
        if name.first?.isUppercase == false {
            propertyNames.insert(name)
            if name.hasPrefix("_") { propertyNames.insert(String(name.dropFirst())) }
        }
        return name
    }

    /// Chooses the names of the files of one module; nil for the files without one.
    private mutating func add(_ files: [FileSchema], of module: String?) {
        for file in files { addPackage(file.package, of: module) }
        for file in files {
            let scope = namespace(file.package)
            for message in file.messages { add(message, in: scope) }
            for enumeration in file.enums { add(enumeration, in: scope) }
            guard let module, scope.isEmpty else { continue }
            for path in file.messages.map({ path($0) }) + file.enums.map({ path($0) }) {
                modules[path] = module
            }
        }
        for service in files.flatMap(\.services) { add(service) }
    }

    private mutating func addPackage(_ package: String, of module: String?) {
        var parent: [String] = []
        var fullName = ""
        for component in package.split(separator: ".") {
            fullName += (fullName.isEmpty ? "" : ".") + component
            if packages[fullName] == nil {
                let name = claim(
                    SwiftSpelling.package(String(component)), "Package", in: parent,
                    reserved: SwiftWords.typeNames,
                    parent.isEmpty ? SwiftWords.faceTypeNames : [])
                packages[fullName] = parent + [name]
                modules[parent + [name]] = module
            }
            parent = namespace(fullName)
        }
    }

    private mutating func add(_ message: MessageSchema, in scope: [String]) {
        guard !message.isMapEntry else { return }
        let name = choose(message.fullName, message.name, "Message", in: scope)
        let path = scope + [name]
        paths[message.fullName] = path
        for nested in message.messages { add(nested, in: path) }
        for nested in message.enums { add(nested, in: path) }
        for oneof in message.oneofs {
            let name = SwiftSpelling.package(oneof.name)
            paths[oneof.fullName] =
                path + [claim(name, "Choice", in: path, reserved: reserved)]
        }
    }

    private mutating func add(_ enumeration: EnumSchema, in scope: [String]) {
        paths[enumeration.fullName] =
            scope + [
                choose(
                    enumeration.fullName, enumeration.name, "Enum", in: scope,
                    reserved: SwiftWords.enumTypeNames)
            ]
    }

    private mutating func choose(
        _ fullName: String, _ name: String, _ suffix: String, in scope: [String],
        reserved more: Set<String> = []
    ) -> String {
        if let provided = ProvidedTypes.names[fullName] {
            return claim(provided, suffix, in: scope)
        }
        let more = scope.isEmpty ? more.union(SwiftWords.faceTypeNames) : more
        return claim(SwiftSpelling.type(name), suffix, in: scope, reserved: reserved, more)
    }

    private mutating func add(_ service: ServiceSchema) {
        let scope = namespace(service.file.package)
        let base = SwiftSpelling.type(service.name)
        for part in ServicePart.allCases {
            let name = claim(part.name(base), "Type", in: scope, reserved: reserved)
            paths[part.key(service)] = scope + [name]
        }
    }

    /// The name of a type that is generated for a service.
    func name(_ part: ServicePart, of service: ServiceSchema) -> String {
        path(key: part.key(service)).last ?? ""
    }
}

/// The types that are generated for a service.
enum ServicePart: String, CaseIterable {
    case methods, client, clientProtocol, service, fake

    func name(_ service: String) -> String {
        switch self {
        case .methods: service + "Methods"
        case .client: service + "Client"
        case .clientProtocol: service + "ClientProtocol"
        case .service: service + "Service"
        case .fake: "Fake" + service
        }
    }

    /// The key of this type's Swift name in `paths`. No declaration has this key, because a full name has no slash.
    fileprivate func key(_ service: ServiceSchema) -> String { "\(service.fullName)/\(rawValue)" }
}

// MARK: - References

extension TypeNames {
    /// The shortest name that refers to `declaration` inside the type with the path `scope`.
    ///
    /// - Parameter package: The package of the file, whose namespace is the extended type.
    func reference(
        to declaration: some SchemaElement, from scope: [String], package: String
    ) -> String {
        let target = path(declaration)
        let namespaceDepth = namespace(package).count
        for start in target.indices.reversed()
        where means(Array(target[...start]), from: scope, namespaceDepth) {
            return target[start...].joined(separator: ".")
        }
        return ([alias(of: target[0])] + target.dropFirst()).joined(separator: ".")
    }

    /// Another name of a type or namespace at the top level whose name means something else in a scope.
    private func alias(of root: String) -> String {
        if let alias = aliases.names[root] { return alias }
        var alias = "Global" + root
        while scopes.values.contains(where: { $0.names.contains(alias) }) { alias += "_" }
        aliases.roots[alias] = root
        aliases.names[root] = alias
        return alias
    }

    /// The types and namespaces at the top level that the references so far need another name for, by that name.
    var rootAliases: [String: String] { aliases.roots }

    /// Whether the last component of `path`, on its own, refers to the declaration with that path.
    private func means(_ path: [String], from scope: [String], _ namespaceDepth: Int) -> Bool {
        guard let name = path.last else { return false }
        // An extension of a nested type does not search the types around that type.
        for depth in stride(from: scope.count, to: 0, by: -1) where depth >= namespaceDepth {
            let outer = Array(scope[..<depth])
            guard scopes[outer]?.names.contains(name) == true else { continue }
            return outer == Array(path.dropLast())
        }
        return path.count == 1
    }
}

/// The other names of types and namespaces at the top level. A class, because references are made where the
/// names of types do not change any more.
private final class RootAliases {
    var roots: [String: String] = [:]
    /// The other names, by the names.
    var names: [String: String] = [:]
}
