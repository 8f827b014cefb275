import SwiftletDynamic

/// A declaration that was found by its name.
enum SchemaSymbol {
    case service(ServiceSchema)
    case method(MethodSchema)
    case message(MessageSchema)
    case field(FieldSchema)
    case enumeration(EnumSchema)

    /// Throws an error that names the nearest declaration if there is none with that full name.
    init(_ name: String, in schema: Schema) throws {
        if let service = schema.service(name) {
            self = .service(service)
        } else if let message = schema.message(name) {
            self = .message(message)
        } else if let enumeration = schema.enumeration(name) {
            self = .enumeration(enumeration)
        } else if let field = schema.field(name) {
            self = .field(field)
        } else if let method = Self.method(name, in: schema) {
            self = .method(method)
        } else {
            let names = schema.services.map(\.fullName) + schema.messages.map(\.fullName)
            let hint = NearestMatch.hint(for: name, among: names)
            throw LookupError(description: "there is no declaration '\(name)'\(hint)")
        }
    }

    private static func method(_ name: String, in schema: Schema) -> MethodSchema? {
        guard let dot = name.lastIndex(of: ".") else { return nil }
        return schema.service(String(name[..<dot]))?.method(
            String(name[name.index(after: dot)...]))
    }

    var fullName: String {
        switch self {
        case .service(let service): service.fullName
        case .method(let method): method.fullName
        case .message(let message): message.fullName
        case .field(let field): field.fullName
        case .enumeration(let enumeration): enumeration.fullName
        }
    }

    /// The file that has the declaration.
    var file: FileSchema {
        switch self {
        case .service(let service): service.file
        case .method(let method): method.service.file
        case .message(let message): message.file
        case .field(let field): field.file
        case .enumeration(let enumeration): enumeration.file
        }
    }

    /// The message for which a template is printed; nil for declarations without one.
    var templateMessage: MessageSchema? {
        switch self {
        case .message(let message): message
        case .method(let method): method.input
        case .field(let field): field.message
        case .service, .enumeration: nil
        }
    }
}
