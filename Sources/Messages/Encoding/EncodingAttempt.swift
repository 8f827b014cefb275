/// An attempt to encode a message into a buffer. The buffer may be too small.
@frozen
@safe
@usableFromInline
struct EncodingAttempt<M: Message> {
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

    /// Returns the number of bytes written: the whole encoding, or nothing.
    @inlinable
    @inline(__always)
    func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        var writer = unsafe FieldWriter(
            buffer, start: start, prefixByteCount: prefixByteCount, separate: separate,
            result: result, options: options)
        unsafe writer.fields(of: message)
        let isWritten = unsafe writer.count <= writer.limit && !result.pointee.hasFailed
        unsafe result.pointee.isWritten = isWritten
        unsafe result.pointee.byteCount = writer.count
        unsafe result.pointee.start = writer.start
        unsafe separate.pointee.copiedByteCount = writer.count
        return isWritten ? writer.count : 0
    }
}
