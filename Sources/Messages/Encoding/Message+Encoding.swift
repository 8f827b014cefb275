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
            unsafe EncodingAttempt.append(
                UnsafeRawPointer(message), Self.layout.table, to: &bytes,
                reservingPrefix: prefixByteCount, separating: &separate, options: options)
        }
    }
}

extension EncodingAttempt {
    /// Appends the encoding of the message at an address, whose type has the table.
    @usableFromInline
    static func append(
        _ message: UnsafeRawPointer, _ table: UnsafePointer<FieldTable>, to bytes: inout [UInt8],
        reservingPrefix prefixByteCount: Int, separating separate: inout SeparateBytes,
        options: EncodingOptions
    ) {
        if prefixByteCount < 0 { ProgramError.stopNegativePrefix(prefixByteCount) }
        var result = EncodingResult()
        unsafe withUnsafeMutablePointer(to: &separate) { separate in
            unsafe withUnsafeMutablePointer(to: &result) { result in
                // Safe: the pointers do not leave the closures.
                unsafe EncodingAttempt(
                    message: message, table, prefixByteCount: prefixByteCount, separate: separate,
                    options: options, result: result
                ).append(to: &bytes)
            }
        }
    }
}

extension EncodingAttempt {
    /// The size of the stack buffer of the first attempt, if the array has too little free capacity.
    /// Swift would allocate a larger temporary buffer on the heap.
    static var stackByteCount: Int { 1024 }

    /// Appends the encoding.
    @inline(__always)
    func append(to bytes: inout [UInt8]) {
        if bytes.capacity &- bytes.count > FieldWriter.slack &+ prefixByteCount {
            appendInPlace(to: &bytes)
        } else {
            appendByStack(to: &bytes)
        }
        guard unsafe !result.pointee.isWritten else { return }
        appendAgain(to: &bytes)
    }

    /// Encodes into the free capacity of the array.
    @inline(__always)
    func appendInPlace(to bytes: inout [UInt8]) {
        bytes.append(addingCapacity: bytes.capacity &- bytes.count) { free in
            unsafe free.withUnsafeMutableBufferPointer { buffer, count in
                count = unsafe write(into: buffer)
            }
        }
    }

    /// Encodes outside of the array and appends a copy, so that the array allocates no more memory than it
    /// needs.
    func appendByStack(to bytes: inout [UInt8]) {
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.stackByteCount) {
            stack in
            // A prefix that does not fit here is written, as zeros, by the second attempt.
            unsafe result.pointee.mayMove =
                prefixByteCount <= Self.stackByteCount - FieldWriter.slack
            let count = unsafe write(into: stack)
            unsafe result.pointee.mayMove = false
            if count > 0 {
                reserve(count, &bytes)
                // Safe: the writer has written `count` bytes there.
                unsafe bytes.append(
                    contentsOf: UnsafeBufferPointer(start: result.pointee.start, count: count))
            }
            unsafe result.pointee.free()
        }
    }

    /// Makes the second attempt. The size is known.
    @inline(never)
    func appendAgain(to bytes: inout [UInt8]) {
        reserve(unsafe result.pointee.byteCount, &bytes)
        unsafe separate.pointee.removeAll()
        appendInPlace(to: &bytes)
        guard unsafe result.pointee.isWritten else { ProgramError.stopChanged() }
    }

    /// Reserves memory for `byteCount` more bytes and the slack that the writer needs. If the program reuses
    /// the array, the next message is encoded directly into it.
    @inline(__always)
    func reserve(_ byteCount: Int, _ bytes: inout [UInt8]) {
        let needed = bytes.count &+ byteCount &+ FieldWriter.slack
        guard bytes.capacity < needed else { return }
        // At least doubles the size, so that appending many messages does not copy the array each
        // time.
        bytes.reserveCapacity(Swift.max(needed, 2 &* bytes.count))
    }
}
