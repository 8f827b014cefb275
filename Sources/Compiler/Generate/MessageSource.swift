/// A message as Swift source: its properties and their names.
struct MessageSource {
    /// A property: a field, or a oneof with all of its fields.
    enum Member {
        case field(FieldSource)
        case oneof(OneofSource)

        var identifier: String {
            switch self {
            case .field(let field): field.identifier
            case .oneof(let oneof): oneof.identifier
            }
        }

        var parameter: String {
            switch self {
            case .field(let field): field.parameter
            case .oneof(let oneof): "\(oneof.identifier): \(oneof.type)? = nil"
            }
        }

        fileprivate var fields: [(field: FieldSource, oneof: OneofSource?)] {
            switch self {
            case .field(let field): [(field, nil)]
            case .oneof(let oneof): oneof.fields.map { ($0, oneof) }
            }
        }
    }

    /// The properties in the order of the declarations.
    let members: [Member]

    init(
        _ message: MessageSchema, scope: [String], _ names: TypeNames, package: String,
        isRecursive: (FieldSchema) -> Bool
    ) {
        func type(_ field: FieldSchema) -> String {
            if let message = field.message, !field.isMap {
                return names.reference(to: message, from: scope, package: package)
            }
            if let enumeration = field.enumeration {
                return names.reference(to: enumeration, from: scope, package: package)
            }
            return FieldSource.scalar(field.type) ?? ""
        }
        func source(_ field: FieldSchema, _ name: String) -> FieldSource {
            var mapTypes: (key: String, value: String)?
            if let key = field.mapKey, let value = field.mapValue {
                mapTypes = (type(key), type(value))
            }
            return FieldSource(
                schema: field, name: name, elementType: type(field),
                isRecursive: isRecursive(field), mapTypes: mapTypes)
        }
        var properties = NameScope()
        var members: [Member] = []
        var seen: Set<OneofSchema> = []
        for field in message.fields {
            guard let oneof = field.oneof else {
                let name = properties.claim(
                    SwiftSpelling.property(field.name), suffix: "Field",
                    reserved: names.propertyNames)
                members.append(.field(source(field, name)))
                continue
            }
            guard seen.insert(oneof).inserted else { continue }
            var cases = NameScope()
            let fields = oneof.fields.map { field in
                let name = cases.claim(
                    SwiftSpelling.property(field.name), suffix: "Case",
                    reserved: SwiftWords.caseNames)
                return source(field, name)
            }
            let name = properties.claim(
                SwiftSpelling.property(oneof.name), suffix: "Choice",
                reserved: names.propertyNames)
            members.append(
                .oneof(
                    OneofSource(schema: oneof, name: name, type: names.name(oneof), fields: fields))
            )
        }
        self.members = members
    }
}

extension MessageSource {
    var oneofs: [OneofSource] {
        members.compactMap { if case .oneof(let oneof) = $0 { oneof } else { nil } }
    }

    /// All fields in the order of the properties, those of oneofs with their oneof.
    var fields: [(field: FieldSource, oneof: OneofSource?)] { members.flatMap(\.fields) }
}

/// A oneof as Swift source: an enum and an optional property.
struct OneofSource {
    let schema: OneofSchema
    /// The name of the property, without backticks.
    let name: String
    /// The name of the enum.
    let type: String
    let fields: [FieldSource]

    var identifier: String { SwiftWords.escaped(name) }
}
