import SwiftletMessages

// The well-known types, which have special JSON forms.
extension JSONWriter {
    mutating func write(
        _ message: DynamicMessage, as type: WellKnownType
    ) throws(DynamicError) {
        switch type {
        case .any: try any(message)
        case .timestamp: try seconds(message, "a timestamp", TimestampText.text)
        case .duration: try seconds(message, "a duration", DurationText.text)
        case .fieldMask: try fieldMask(message)
        case .wrapper:
            guard let field = message.schema.field(number: 1) else { return }
            try single(message.value(1) ?? field.defaultValue, field)
        case .value: try value(message)
        case .structure:
            guard let field = message.schema.field(number: 1) else { return }
            try write(message.value(1) ?? .map([:]), of: field, inBrackets: false)
        case .listValue:
            guard let field = message.schema.field(number: 1) else { return }
            try write(message.value(1) ?? .list([]), of: field)
        }
    }

    private mutating func seconds(
        _ message: DynamicMessage, _ name: String, _ text: (Int64, Int32) -> String?
    ) throws(DynamicError) {
        guard case .int64(let seconds) = message.value(1),
            case .int32(let nanos) = message.value(2), let text = text(seconds, nanos)
        else { throw DynamicError(path: "", message: "the value is not \(name)") }
        appendQuoted(text)
    }

    private mutating func fieldMask(_ message: DynamicMessage) throws(DynamicError) {
        guard case .list(let values) = message.value(1),
            let text = FieldMaskText.text(
                values.map { if case .string(let path) = $0 { path } else { "" } })
        else {
            throw DynamicError(path: "paths", message: "a path has no form in lower camel case")
        }
        appendQuoted(text)
    }

    private mutating func any(_ message: DynamicMessage) throws(DynamicError) {
        guard !message.contents.isEmpty else { return append("{}") }
        let content = try AnyContent(message, maxDepth: messageDepthLeft)
        try items(("{", "}")) { writer, isFirst throws(DynamicError) in
            writer.startMember("@type", &isFirst)
            writer.appendQuoted(content.url)
            if content.message.schema.wellKnown != nil {
                writer.startMember("value", &isFirst)
                try writer.nested(content.message)
            } else {
                try writer.members(of: content.message, &isFirst)
            }
        }
    }

    private mutating func value(_ message: DynamicMessage) throws(DynamicError) {
        // A server's own schema may have more fields. They could be nested without the limit that holds for these six.
        guard let (field, value) = message.presentFields.first, field.number <= 6 else {
            throw DynamicError(path: "", message: "a google.protobuf.Value has no value")
        }
        if case .double(let number) = value, !number.isFinite {
            throw DynamicError(
                path: field.name, message: "a google.protobuf.Value cannot be \(number)")
        }
        try single(value, field)
    }
}
