/// An attempt to encode a message into the free capacity of an array, as the sequence of the encoded
/// bytes. It exists to be appended to an array.
///
/// An array lets a sequence write into its free capacity. The other ways to write the bytes of an
/// array by hand are either not specialized or clear the bytes first, and add half of the time that
/// the rest of the encoding of a short message needs.
@frozen
@safe
@usableFromInline
struct EncodingAttempt<M: Message>: Sequence {
    @usableFromInline let message: UnsafePointer<M>
    @usableFromInline let prefixByteCount: Int
    @usableFromInline let separate: UnsafeMutablePointer<SeparateBytes>
    @usableFromInline let options: EncodingOptions
    @usableFromInline let result: UnsafeMutablePointer<EncodingResult>

    /// The pointers must be valid as long as the attempt exists.
    @inlinable
    init(
        message: UnsafePointer<M>, prefixByteCount: Int,
        separate: UnsafeMutablePointer<SeparateBytes>, options: EncodingOptions,
        result: UnsafeMutablePointer<EncodingResult>
    ) {
        unsafe self.separate = separate
        unsafe self.message = message
        unsafe self.result = result
        self.prefixByteCount = prefixByteCount
        self.options = options
    }

    @inlinable var underestimatedCount: Int { 0 }

    @inlinable
    func makeIterator() -> EmptyCollection<UInt8>.Iterator { EmptyCollection<UInt8>.Iterator() }

    @inlinable
    func _copyContents(
        initializing buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> (EmptyCollection<UInt8>.Iterator, Int) {
        (makeIterator(), unsafe write(into: buffer))
    }

    /// Returns the number of bytes written: the whole encoding, or nothing.
    @inlinable
    @inline(__always)
    func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        var writer = unsafe FieldWriter(
            buffer, start: start, prefixByteCount: prefixByteCount, separate: separate,
            result: result, options: options)
        unsafe writer.fields(of: message)
        let isWritten = unsafe writer.count <= writer.limit && result.pointee.failure == nil
        unsafe result.pointee.isWritten = isWritten
        unsafe result.pointee.byteCount = writer.count
        unsafe result.pointee.start = writer.start
        unsafe separate.pointee.copiedByteCount = writer.count
        return isWritten ? writer.count : 0
    }
}
