extension Message {
    @inlinable
    public mutating func merge(
        _ bytes: Span<UInt8>, options: DecodingOptions
    ) throws(WireError) {
        guard bytes.count <= options.maxByteCount else { throw WireError(.tooLarge) }
        // Safe: the decoder is used only inside the closure.
        try unsafe bytes.withUnsafeBufferPointer { buffer throws(WireError) in
            guard let start = buffer.baseAddress else { return }
            var decoder = unsafe FieldDecoder(
                start: start, byteCount: buffer.count, options: options)
            try decoder.fields(into: &self)
        }
    }
}
