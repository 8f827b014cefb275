extension Message {
    /// Adds the fields in `bytes`: single fields are replaced, messages are merged, lists grow. Throws if the bytes are
    /// not a message of the type. The fields before the mistake have then been added.
    public mutating func merge(
        _ bytes: Span<UInt8>, options: DecodingOptions = DecodingOptions()
    ) throws(WireError) {
        guard bytes.count <= options.maxByteCount else { throw WireError(.tooLarge) }
        try unsafe withUnsafeMutablePointer(to: &self) { message throws(WireError) in
            // Safe: the decoder is used only inside the closures.
            try unsafe bytes.withUnsafeBufferPointer { buffer throws(WireError) in
                guard let start = buffer.baseAddress else { return }
                var decoder = unsafe FieldDecoder(
                    start: start, byteCount: buffer.count, options: options)
                try unsafe decoder.fields(into: UnsafeMutableRawPointer(message), Self.layout.table)
            }
        }
    }
}
