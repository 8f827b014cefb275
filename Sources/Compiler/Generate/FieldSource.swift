/// A field of a message as Swift source.
struct FieldSource {
    let schema: FieldSchema
    /// The name of the property, or of the case in a oneof, without backticks.
    let name: String
    /// The type of one value, for example `Int32` or `Grpc.Testing.Payload`.
    let elementType: String
    /// Whether the value needs a box.
    let isRecursive: Bool
    /// The types of a map's keys and values.
    let mapTypes: (key: String, value: String)?

    var identifier: String { SwiftWords.escaped(name) }

    /// Whether the message is in a box that can be empty.
    var isBoxed: Bool { isRecursive && schema.oneof == nil }

    /// The lines of documentation of the property.
    var documentation: [String] {
        let comments = schema.comments.documentationLines
        guard isBoxed, schema.isRequired else { return comments }
        return comments + (comments.isEmpty ? [] : [""]) + [
            "Required in the `.proto` file, but optional here:",
            "a message that requires itself has no end.",
        ]
    }

    var isOptional: Bool { isBoxed || schema.hasPresence && !schema.isRequired }

    /// The type of the property.
    var type: String {
        if let mapTypes { return "[\(mapTypes.key): \(mapTypes.value)]" }
        if schema.isList { return "[\(elementType)]" }
        return isOptional ? elementType + "?" : elementType
    }

    /// The value of the property in a new message.
    var initialValue: String {
        if schema.isMap { return "[:]" }
        if schema.isList { return "[]" }
        return isOptional ? "nil" : defaultValue
    }
}

// MARK: - Declarations

extension FieldSource {
    /// `name: String = ""`, for an initializer.
    var parameter: String { "\(identifier): \(type) = \(initialValue)" }

    /// `name = ""` for a property whose type follows from its default.
    var property: String {
        if isOptional { return "\(identifier): \(type)" }
        let isInferred = mapTypes == nil && !schema.isList && inferredTypes.contains(schema.type)
        return isInferred
            ? "\(identifier) = \(initialValue)" : "\(identifier): \(type) = \(initialValue)"
    }

    /// The types that Swift infers from a literal or an initializer.
    private var inferredTypes: Set<FieldType> { [.bool, .string, .enumeration, .message, .group] }

    /// The name of the constant with the default that the `.proto` file declares. Nil when the file declares
    /// no default, or when the field cannot be absent.
    var defaultName: String? {
        guard schema.hasExplicitDefault, isOptional || schema.oneof != nil else { return nil }
        return "default" + name.prefix(1).uppercased() + name.dropFirst()
    }

    /// The default as an expression.
    var defaultValue: String { SwiftLiteral.defaultValue(of: schema, elementType) }
}

// MARK: - The list of fields

extension FieldSource {
    /// The call that lists a field: the function, and its arguments.
    var listed: (function: String, arguments: [String]) {
        let storage = "\\." + (isBoxed ? "_\(name)" : identifier)
        if let key = schema.mapKey, let value = schema.mapValue, let mapTypes {
            return (
                "map",
                [number, storage, ".\(key.type.name)", Self.kind(of: value, mapTypes.value)]
            )
        }
        if schema.isRequired, !isBoxed { return ("required", [kind, number, storage]) }
        var arguments = [number, storage]
        if schema.isList, schema.type.isPackable, !schema.isPacked {
            arguments.append("packed: false")
        }
        return (Self.function(of: schema.type), arguments)
    }

    var number: String { "\(schema.number)" }

    var kind: String { Self.kind(of: schema, elementType) }

    /// The kind as source: `.int32`, or `.message(Payload.self)`.
    private static func kind(of field: FieldSchema, _ type: String) -> String {
        let function = function(of: field.type)
        switch field.type {
        case .message, .group, .enumeration: return ".\(function)(\(type).self)"
        default: return ".\(function)"
        }
    }

    private static func function(of type: FieldType) -> String {
        type == .enumeration ? "enumeration" : type.name
    }

    /// The Swift type of a scalar; nil for messages and enums.
    static func scalar(_ type: FieldType) -> String? {
        switch type {
        case .double: "Double"
        case .float: "Float"
        case .int64, .sint64, .sfixed64: "Int64"
        case .uint64, .fixed64: "UInt64"
        case .int32, .sint32, .sfixed32: "Int32"
        case .uint32, .fixed32: "UInt32"
        case .bool: "Bool"
        case .string: "String"
        case .bytes: "[UInt8]"
        case .message, .group, .enumeration: nil
        }
    }
}
