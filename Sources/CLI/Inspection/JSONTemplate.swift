import SwiftletDynamic
import SwiftletLoopback

/// Writes a JSON object with all fields of a message, as a template for a request.
struct JSONTemplate {
    private static let maxDepth = 8
    /// The most fields of all messages together. Messages that refer to each other can have so many paths
    /// that a template with all of them would not fit into memory. Later messages are written as `{}`.
    private static let maxFieldCount = 10_000

    private var fieldCount = 0
    /// The messages around the current one. A message inside itself is written as `{}`.
    private var path: [MessageSchema] = []

    /// The template of a message. The schema of the message must be one of ``Schema/readingAny()``: the content of
    /// an `Any` in the template is a `google.protobuf.Empty`.
    static func text(for message: MessageSchema) -> String {
        var template = JSONTemplate()
        return template.object(message)
    }

    private mutating func object(_ message: MessageSchema) -> String {
        if let text = Self.wellKnown[message.fullName] { return text }
        guard !path.contains(message), path.count < Self.maxDepth, !message.fields.isEmpty,
            fieldCount < Self.maxFieldCount
        else { return "{}" }
        path.append(message)
        defer { path.removeLast() }
        let indentation = String(repeating: "  ", count: path.count)
        var members: [String] = []
        var oneofs: Set<String> = []
        for field in message.fields {
            // A message can have one field of a oneof.
            if let oneof = field.oneof, !oneofs.insert(oneof.name).inserted { continue }
            fieldCount += 1
            members.append("\(indentation)\(JSONText.quoted(field.jsonName)): \(value(of: field))")
        }
        return "{\n" + members.joined(separator: ",\n") + "\n\(indentation.dropLast(2))}"
    }

    private mutating func value(of field: FieldSchema) -> String {
        if let key = field.mapKey, let value = field.mapValue {
            return "{\"\(Self.key(key.type))\": \(single(value))}"
        }
        return field.isList ? "[\(single(field))]" : single(field)
    }

    /// The key of a map's member. JSON writes all keys as strings.
    private static func key(_ type: FieldType) -> String {
        switch type {
        case .string: ""
        case .bool: "false"
        default: "0"
        }
    }

    private mutating func single(_ field: FieldSchema) -> String {
        switch field.type {
        case .message, .group: field.message.map { object($0) } ?? "{}"
        case .enumeration: JSONText.quoted(field.enumeration?.values.first?.name ?? "")
        case .bool: "false"
        case .string, .bytes: "\"\""
        case .int64, .uint64, .fixed64, .sfixed64, .sint64: "\"0\""
        default: "0"
        }
    }

    /// The messages whose JSON is not an object with their fields.
    private static let wellKnown: [String: String] = {
        let values = [
            "Timestamp": "\"1970-01-01T00:00:00Z\"", "Duration": "\"0s\"", "FieldMask": "\"\"",
            "Any": "{\"@type\": \"type.googleapis.com/google.protobuf.Empty\"}",
            "Struct": "{}", "Value": "null", "ListValue": "[]", "Empty": "{}",
            "DoubleValue": "0", "FloatValue": "0", "Int32Value": "0", "UInt32Value": "0",
            "Int64Value": "\"0\"", "UInt64Value": "\"0\"", "BoolValue": "false",
            "StringValue": "\"\"", "BytesValue": "\"\"",
        ]
        return Dictionary(
            uniqueKeysWithValues: values.map { ("google.protobuf.\($0.key)", $0.value) })
    }()
}
