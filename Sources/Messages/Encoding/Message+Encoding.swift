extension Message {
    /// Appends the encoded message, after `prefixByteCount` zero bytes that the caller fills. The large
    /// fields are put into `separate` instead. For calls. Other callers append the whole message with
    /// ``encode(appendingTo:reservingPrefix:options:)``.
    // Compiled for each type: a generic function takes longer to lend a message than to encode a short one.
    @inlinable
    package func encode(
        appendingTo bytes: inout [UInt8], reservingPrefix prefixByteCount: Int,
        separating separate: inout SeparateBytes, options: EncodingOptions
    ) {
        unsafe withUnsafePointer(to: self) { message in
            unsafe withUnsafeMutablePointer(to: &separate) { separate in
                unsafe Encoding.append(
                    UnsafeRawPointer(message), Self.layout.table, to: &bytes,
                    reservingPrefix: prefixByteCount, separating: separate, options: options)
            }
        }
    }
}

extension Encoding {
    /// Appends the encoding of the message at an address, whose type has the table.
    @usableFromInline
    static func append(
        _ message: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>, to bytes: inout [UInt8],
        reservingPrefix prefixByteCount: Int,
        separating separate: UnsafeMutablePointer<SeparateBytes>?,
        options: EncodingOptions
    ) {
        unsafe Encoding(
            message, table, prefixByteCount: prefixByteCount, separate: separate, options: options
        ).append(to: &bytes)
    }
}
