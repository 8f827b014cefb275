/// A message that is encoded, and how. It may take two attempts: the first one finds the size if there is too little room.
@safe
@usableFromInline
struct Encoding {
    private let message: UnsafeRawPointer
    private let table: UnsafePointer<FieldTable>
    private let prefixByteCount: Int
    private let options: EncodingOptions
    private let separate: UnsafeMutablePointer<SeparateBytes>?

    /// The pointers must be valid as long as the value exists, and the table must be that of the message's type.
    ///
    /// - Parameter separate: Takes the large fields; nil if they are copied, too.
    init(
        _ message: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>, prefixByteCount: Int,
        separate: UnsafeMutablePointer<SeparateBytes>?, options: EncodingOptions
    ) {
        if prefixByteCount < 0 { ProgramError.stopNegativePrefix(prefixByteCount) }
        unsafe self.message = message
        unsafe self.table = table
        unsafe self.separate = separate
        self.prefixByteCount = prefixByteCount
        self.options = options
    }

    /// Returns the writer that has written the whole encoding, or has only found its size.
    @inline(__always)
    private func write(
        to start: UnsafeMutablePointer<UInt8>, byteCount: Int,
        larger: UnsafeMutablePointer<LargerBuffers>? = nil
    ) -> FieldWriter {
        var writer = unsafe FieldWriter(
            start, byteCount: byteCount, prefixByteCount: prefixByteCount, separate: separate,
            larger: larger, options: options)
        unsafe writer.fields(at: message, table)
        unsafe separate?.pointee.copiedByteCount = writer.count
        return writer
    }
}

// MARK: - Into an array

extension Encoding {
    /// The size of the stack buffer of the first attempt, if the array has too little free capacity.
    /// Swift would allocate a larger temporary buffer on the heap.
    private static var stackByteCount: Int { 1024 }

    /// Appends the encoding.
    @inline(__always)
    func append(to bytes: inout [UInt8]) {
        let isRoomy = bytes.capacity &- bytes.count > FieldWriter.slack &+ prefixByteCount
        let missing = isRoomy ? appendInPlace(to: &bytes) : appendByStack(to: &bytes)
        if let missing { appendAgain(missing, to: &bytes) }
    }

    /// Encodes into the free capacity of the array. Returns the size of the encoding if it does not fit.
    @inline(__always)
    private func appendInPlace(to bytes: inout [UInt8]) -> Int? {
        var missing: Int?
        bytes.append(addingCapacity: bytes.capacity &- bytes.count) { free in
            unsafe free.withUnsafeMutableBufferPointer { buffer, count in
                // Safe: a free capacity above zero has an address.
                let writer = unsafe write(
                    to: buffer.baseAddress.unsafelyUnwrapped, byteCount: buffer.count)
                if writer.hasWritten { count = writer.count } else { missing = writer.count }
            }
        }
        return missing
    }

    /// Encodes outside of the array and appends a copy, so that the array allocates no more memory than it
    /// needs. Returns the size of the encoding if it is too large for that.
    private func appendByStack(to bytes: inout [UInt8]) -> Int? {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.stackByteCount) {
            stack in
            var larger = LargerBuffers()
            defer { larger.free() }
            return unsafe withUnsafeMutablePointer(to: &larger) { larger in
                // A prefix that does not fit here is written, as zeros, by the second attempt.
                let mayMove = prefixByteCount <= Self.stackByteCount - FieldWriter.slack
                let writer = unsafe write(
                    to: stack.baseAddress.unsafelyUnwrapped, byteCount: stack.count,
                    larger: mayMove ? larger : nil)
                guard writer.hasWritten else { return writer.count }
                reserve(writer.count, &bytes)
                // Safe: the writer has written `count` bytes there.
                unsafe bytes.append(
                    contentsOf: UnsafeBufferPointer(start: writer.start, count: writer.count))
                return nil
            }
        }
    }

    /// Makes the second attempt. The size is known.
    @inline(never)
    private func appendAgain(_ byteCount: Int, to bytes: inout [UInt8]) {
        reserve(byteCount, &bytes)
        unsafe separate?.pointee.removeAll()
        if appendInPlace(to: &bytes) != nil { ProgramError.stopChanged() }
    }

    /// Reserves memory for `byteCount` more bytes and the slack that the writer needs. If the program reuses
    /// the array, the next message is encoded directly into it.
    @inline(__always)
    private func reserve(_ byteCount: Int, _ bytes: inout [UInt8]) {
        let needed = bytes.count &+ byteCount &+ FieldWriter.slack
        guard bytes.capacity < needed else { return }
        // At least doubles the size, so that appending many messages does not copy the array each
        // time.
        bytes.reserveCapacity(Swift.max(needed, 2 &* bytes.count))
    }
}

// MARK: - Into a buffer

extension Encoding {
    /// Encodes in place of what the buffer has.
    @inline(__always)
    func fill(_ buffer: inout EncodingBuffer) {
        let writer = unsafe write(to: buffer.start, byteCount: buffer.capacity)
        buffer.messageByteCount = writer.count
        if !writer.hasWritten { fillAgain(&buffer) }
    }

    /// Makes the second attempt. The size is known.
    @inline(never)
    private func fillAgain(_ buffer: inout EncodingBuffer) {
        let byteCount = buffer.messageByteCount
        buffer.grow(byteCount)
        let writer = unsafe write(to: buffer.start, byteCount: buffer.capacity)
        guard writer.hasWritten else { ProgramError.stopChanged() }
        buffer.messageByteCount = writer.count
    }
}
