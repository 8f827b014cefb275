extension DynamicMessage {
    /// Reads a message of the type `schema` from the text format.
    ///
    /// Types inside a `google.protobuf.Any` are looked up in the schema. Throws an error with the
    /// path, line and column for text that is not such a message.
    public init(
        text: [UInt8], as schema: MessageSchema,
        options: TextReadingOptions = TextReadingOptions()
    ) throws(FormatError) {
        self.init(schema)
        var reader = try TextFormatReader(text, pool: schema.pool, options: options)
        try reader.whole(into: &self)
        if !options.allowsPartial, let missing = missingRequiredField {
            throw reader.scanner.error("the required field is missing").inside(missing)
        }
    }

    /// Reads a message of the type `schema` from the text format, as the initializer for bytes does.
    public init(
        text: String, as schema: MessageSchema,
        options: TextReadingOptions = TextReadingOptions()
    ) throws(FormatError) {
        try self.init(text: Array(text.utf8), as: schema, options: options)
    }

    /// Writes the message in the text format, with its fields in the order of their numbers.
    public func text(options: TextWritingOptions = TextWritingOptions()) -> String {
        var writer = TextFormatWriter(options: options)
        writer.fields(of: self)
        return writer.text
    }
}

extension DynamicMessage: CustomStringConvertible {
    /// The message in the text format on one line, unknown fields included.
    public var description: String {
        text(options: TextWritingOptions(writesUnknownFields: true, isSingleLine: true))
    }
}
