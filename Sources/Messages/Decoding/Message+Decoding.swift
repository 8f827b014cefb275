extension Message {
    /// Adds the fields in `bytes`: single fields are replaced, messages are merged, lists grow. Throws if the bytes are
    /// not a message of the type. The fields before the mistake have then been added, and a list that the mistake is in may
    /// have more elements, with their defaults.
    @inlinable
    public mutating func merge(
        _ bytes: Span<UInt8>, options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        guard bytes.count <= options.maxByteCount else { throw WireError(.tooLarge) }
        try unsafe withUnsafeMutablePointer(to: &self) { message throws(WireError) in
            try unsafe FieldDecoder.merge(
                bytes, into: UnsafeMutableRawPointer(message), Self.layout.table, options)
        }
    }
}

extension Message {
    /// Adds the fields of another message, as if its encoding followed that of this one: fields that it has are replaced,
    /// messages are merged, lists grow, and entries of maps are added or replaced. A field without presence that is zero
    /// or empty there stays as it is here.
    ///
    /// Throws if the other message could not be received: it is nested more deeply than 100 levels, or the key of a map
    /// has too many combining marks in a row. This message is then as it was.
    public mutating func merge(_ other: Self) throws(WireError) {
        var merged = self
        try merged.merge(ContiguousArray(other.encoded()).span)
        self = merged
    }
}

extension FieldDecoder {
    /// Adds the fields in `bytes` to the message at an address, whose type has the table.
    @usableFromInline
    static func merge(
        _ bytes: Span<UInt8>, into message: UnsafeMutableRawPointer,
        _ table: UnsafePointer<FieldTable>, _ options: DecodingOptions
    ) throws(WireError) {
        // Safe: the decoder is used only inside the closure.
        try unsafe bytes.withUnsafeBufferPointer { buffer throws(WireError) in
            guard let start = buffer.baseAddress else { return }
            var decoder = unsafe FieldDecoder(
                start: start, byteCount: buffer.count, options: options)
            try unsafe decoder.fields(into: message, table)
        }
    }
}
