public import SwiftletMessages

extension DynamicMessage {
    /// Decodes a message of the type `schema`.
    ///
    /// Throws when a compiled message would throw for the same bytes. Unless `allowsPartial`, it also throws
    /// when a required field is absent. A string that is not UTF-8 is an error if the field requires UTF-8.
    /// Otherwise (proto2), it is kept as an unknown field.
    public init(
        decoding bytes: Span<UInt8>, as schema: MessageSchema,
        options: DecodingOptions = DecodingOptions(), allowsPartial: Bool = false
    ) throws(WireError) {
        self.init(schema)
        let needsCheck = try mergeFields(bytes, options: options)
        if !allowsPartial, needsCheck { try checkRequired(offset: bytes.count) }
    }

    /// Decodes a message of the type `schema`. Throws as the initializer for a span does.
    public init(
        decoding bytes: [UInt8], as schema: MessageSchema,
        options: DecodingOptions = DecodingOptions(), allowsPartial: Bool = false
    ) throws(WireError) {
        try self.init(
            decoding: ContiguousArray(bytes).span, as: schema, options: options,
            allowsPartial: allowsPartial)
    }

    /// Adds the fields in `bytes`: single fields are replaced, messages are merged, lists grow.
    /// Required fields are not checked.
    public mutating func merge(
        _ bytes: Span<UInt8>, options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        _ = try mergeFields(bytes, options: options)
    }

    /// Adds the fields in `bytes`. Returns whether a required field can be missing.
    private mutating func mergeFields(
        _ bytes: Span<UInt8>, options: DecodingOptions
    ) throws(WireError) -> Bool {
        guard bytes.count <= options.maxByteCount else { throw WireError(.tooLarge) }
        let pool = self.pool
        let type = self.type
        return try mutate { contents throws(WireError) in
            // Safe: the decoder lives only inside the closure.
            try unsafe bytes.withUnsafeBufferPointer { buffer throws(WireError) in
                guard let start = buffer.baseAddress else { return true }
                let wire = unsafe FieldDecoder(
                    start: start, byteCount: buffer.count, options: options)
                var decoder = DynamicDecoder(wire, pool: pool)
                // A field has two bytes or more.
                contents.reserve(min(buffer.count / 2, DynamicDecoder.usualFieldCount))
                try decoder.fields(of: type, into: &contents)
                return decoder.needsRequiredCheck
            }
        }
    }

    /// Encodes the message, with its fields in the order of their numbers.
    ///
    /// Throws if a required field is absent, unless `allowsPartial`.
    public func encoded(
        options: EncodingOptions = EncodingOptions(), allowsPartial: Bool = false
    ) throws(WireError) -> [UInt8] {
        var encoder = DynamicEncoder(pool: pool, options: options)
        encoder.fields(of: contents)
        if !allowsPartial, encoder.needsRequiredCheck { try checkRequired() }
        return encoder.output.bytes
    }

    /// Encodes the message, even if required fields are absent.
    func encodedPartially(options: EncodingOptions = EncodingOptions()) -> [UInt8] {
        var encoder = DynamicEncoder(pool: pool, options: options)
        encoder.fields(of: contents)
        return encoder.output.bytes
    }

    /// Throws if a required field is absent. The path of the error names the field.
    public func checkRequired() throws(WireError) { try checkRequired(offset: 0) }

    private func checkRequired(offset: Int) throws(WireError) {
        guard let path = RequiredFields.missing(in: self) else { return }
        throw WireError(.missingRequiredField, offset: offset, path: path)
    }

    // MARK: Compiled messages

    /// Makes a dynamic message of a compiled one, whose type must be `schema`.
    ///
    /// Throws if the two do not have the same full name.
    public init<M: Message>(_ message: M, as schema: MessageSchema) throws(DynamicError) {
        guard M.messageName == schema.fullName else {
            throw DynamicError(
                path: "", message: "the message is a \(M.messageName), not a \(schema.fullName)")
        }
        do throws(WireError) {
            try self.init(decoding: message.encoded(), as: schema, allowsPartial: true)
        } catch {
            throw DynamicError(path: "", message: "\(M.self) does not match its schema: \(error)")
        }
    }

    /// Converts the message to a compiled message of the same full name. Throws if the names differ, or if
    /// the bytes are not a message of the type.
    public func message<M: Message>(as type: M.Type = M.self) throws(DynamicError) -> M {
        guard M.messageName == schema.fullName else {
            throw DynamicError(
                path: "", message: "the message is a \(schema.fullName), not a \(M.messageName)")
        }
        do throws(WireError) {
            return try M(decoding: try encoded(allowsPartial: true))
        } catch {
            throw DynamicError(path: "", message: "\(M.self) does not match its schema: \(error)")
        }
    }
}
