/// An attempt to encode a message into a buffer. The buffer may be too small.
@safe
@usableFromInline
struct EncodingAttempt {
    let message: UnsafeRawPointer
    let table: UnsafePointer<FieldTable>
    let prefixByteCount: Int
    let separate: UnsafeMutablePointer<SeparateBytes>
    let options: EncodingOptions
    let result: UnsafeMutablePointer<EncodingResult>

    /// The pointers must be valid as long as the attempt exists, and the table must be that of the message's type.
    init(
        message: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>, prefixByteCount: Int,
        separate: UnsafeMutablePointer<SeparateBytes>, options: EncodingOptions,
        result: UnsafeMutablePointer<EncodingResult>
    ) {
        unsafe self.separate = separate
        unsafe self.message = message
        unsafe self.table = table
        unsafe self.result = result
        self.prefixByteCount = prefixByteCount
        self.options = options
    }

    /// Returns the number of bytes written: the whole encoding, or nothing.
    func write(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        var writer = unsafe FieldWriter(
            buffer, start: start, prefixByteCount: prefixByteCount, separate: separate,
            result: result, options: options)
        unsafe writer.fields(at: message, table)
        let isWritten = writer.count <= writer.limit
        unsafe result.pointee.isWritten = isWritten
        unsafe result.pointee.byteCount = writer.count
        unsafe result.pointee.start = writer.start
        unsafe separate.pointee.copiedByteCount = writer.count
        return isWritten ? writer.count : 0
    }
}
