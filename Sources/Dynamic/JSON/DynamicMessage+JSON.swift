extension DynamicMessage {
    /// Reads a message of the type `schema` from JSON, by protobuf's JSON mapping.
    ///
    /// Fields have their JSON names or the names of the `.proto` file. Types inside a
    /// `google.protobuf.Any` are looked up in the schema. Throws an error with the path, line and
    /// column for text that is not JSON or not such a message.
    public init(
        json: [UInt8], as schema: MessageSchema,
        options: JSONReadingOptions = JSONReadingOptions()
    ) throws(FormatError) {
        self.init(schema)
        var reader = try JSONReader(json, pool: schema.pool, options: options)
        try reader.whole(into: &self)
        if !options.allowsPartial, let missing = missingRequiredField {
            throw reader.scanner.error("the required field is missing").inside(missing)
        }
    }

    /// Reads a message of the type `schema` from JSON, as the initializer for bytes does.
    public init(
        json: String, as schema: MessageSchema,
        options: JSONReadingOptions = JSONReadingOptions()
    ) throws(FormatError) {
        try self.init(json: Array(json.utf8), as: schema, options: options)
    }

    /// Writes the message as JSON, with its fields in the order of their numbers.
    ///
    /// Unknown fields are not written. If JSON has no form for a value, throws an error with the path. Such
    /// values are a timestamp or a duration out of its range, a field mask that is not in snake case, an
    /// `Any` of a type that the schema does not have, and a `google.protobuf.Value` without a value. Also throws
    /// if messages are nested more deeply than the options allow.
    public func json(
        options: JSONWritingOptions = JSONWritingOptions()
    ) throws(DynamicError) -> String {
        String(decoding: try jsonBytes(options: options), as: UTF8.self)
    }

    /// Writes the message as JSON in UTF-8. Throws as ``json(options:)`` does.
    public func jsonBytes(
        options: JSONWritingOptions = JSONWritingOptions()
    ) throws(DynamicError) -> [UInt8] {
        var writer = JSONWriter(pool: pool, options: options)
        try writer.write(self)
        return writer.text
    }
}
