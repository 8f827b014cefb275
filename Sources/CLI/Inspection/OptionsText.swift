import Swiftlet
import SwiftletDynamic

/// Writes the options of declarations as a `.proto` file does, custom options included.
struct OptionsText {
    /// The schema, in which all messages of options are declared.
    let schema: Schema

    /// Throws if the files of the schema do not fit those of `google/protobuf/descriptor.proto`.
    init(_ schema: Schema) throws {
        self.schema = try schema.adding(standard: ["google/protobuf/descriptor.proto"])
    }

    /// The options in the order of their numbers, such as `deprecated = true` and
    /// `(shop.rule) = { min: 3 }`. Empty for nil. Throws if the options do not fit the schema.
    func texts(of options: (any Message)?) throws -> [String] {
        guard let options else { return [] }
        return try texts(of: message(options), prefix: "")
    }

    /// A message of a descriptor, with the fields that the schema declares for it.
    func message(_ part: any Message) throws -> DynamicMessage {
        let name = type(of: part).messageName
        return try DynamicMessage(decoding: part.encoded(), as: schema.requiredMessage(name))
    }

    private func texts(of options: DynamicMessage, prefix: String) throws -> [String] {
        try options.presentFields.flatMap { field, value -> [String] in
            if field.fullName.hasSuffix("Options.features"), case .message(let features) = value {
                return try texts(of: features, prefix: "features.")
            }
            guard case .list(let elements) = value else {
                return [try text(of: field, value, in: options.schema, prefix)]
            }
            return try elements.map { try text(of: field, .list([$0]), in: options.schema, prefix) }
        }
    }

    /// One option. The text format of a message with only this field has its name and its value.
    private func text(
        of field: FieldSchema, _ value: DynamicValue, in message: MessageSchema, _ prefix: String
    ) throws -> String {
        var option = DynamicMessage(message)
        try option.set(field, value)
        let text = option.text(options: TextWritingOptions(isSingleLine: true))
        let name = text.prefix { $0 != " " }
        let shown = field.isExtension ? "(\(field.fullName))" : field.name
        return "\(prefix)\(shown) =\(text[name.endIndex...])"
    }
}
