extension Message {
    @inlinable
    public func encode(
        appendingTo octets: inout [UInt8], reservingPrefix prefixByteCount: Int,
        leavingOut apart: inout OctetsApart, options: EncodingOptions
    ) {
        precondition(prefixByteCount >= 0, "a prefix of \(prefixByteCount) octets")
        unsafe withUnsafePointer(to: self) { message in
            unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: NestedSizes.inlineCount) {
                places in
                guard let stack = places.baseAddress else { return }
                // Safe: what holds the pointers does not leave the closures.
                var sizer = unsafe FieldSizer(
                    sizes: NestedSizes(stack: stack), partByteCount: apart.minByteCount,
                    options: options)
                defer { sizer.sizes.free() }
                unsafe sizer.fields(of: message)
                unsafe withUnsafeMutablePointer(to: &apart) { apart in
                    unsafe EncodedOctets(
                        message: message, prefixByteCount: prefixByteCount,
                        byteCount: sizer.byteCount &- sizer.apartByteCount, sizes: sizer.sizes,
                        apart: apart, options: options
                    ).append(to: &octets)
                }
            }
        }
    }
}

/// A message that was measured, as the sequence of its octets, which exists to be put in an array.
///
/// An array makes room for a sequence and lets it write there itself. Any other way to make an
/// array with octets to be written by hand is either not specialised or clears them first, and takes
/// half as long again as the rest of the encoding of a short message.
@frozen
@safe
@usableFromInline
struct EncodedOctets<M: Message>: Sequence {
    @usableFromInline let message: UnsafePointer<M>
    @usableFromInline let prefixByteCount: Int
    @usableFromInline let byteCount: Int
    @usableFromInline let sizes: NestedSizes
    @usableFromInline let apart: UnsafeMutablePointer<OctetsApart>
    @usableFromInline let options: EncodingOptions

    @inlinable
    init(
        message: UnsafePointer<M>, prefixByteCount: Int, byteCount: Int, sizes: NestedSizes,
        apart: UnsafeMutablePointer<OctetsApart>, options: EncodingOptions
    ) {
        unsafe self.apart = apart
        unsafe self.message = message
        self.prefixByteCount = prefixByteCount
        self.byteCount = byteCount
        self.sizes = sizes
        self.options = options
    }

    @inlinable var underestimatedCount: Int { prefixByteCount + byteCount }

    @inlinable
    @inline(__always)
    func append(to octets: inout [UInt8]) {
        guard underestimatedCount > 0 else { return }
        let needed = octets.count + underestimatedCount + FieldWriter.slack
        if octets.capacity < needed {
            // An array that messages are added to again and again is not copied for each of them.
            octets.reserveCapacity(Swift.max(needed, 2 * octets.count))
        }
        octets.append(contentsOf: self)
    }

    @inlinable
    func _copyContents(
        initializing buffer: UnsafeMutableBufferPointer<UInt8>
    ) -> (IndexingIterator<[UInt8]>, Int) {
        guard let start = buffer.baseAddress,
            buffer.count >= underestimatedCount + FieldWriter.slack
        else { return (makeIterator(), 0) }
        // Safe: there is room for the prefix, the message and the slack.
        unsafe write(start)
        return ([].makeIterator(), underestimatedCount)
    }

    /// What an array uses that does not let a sequence write, or has too little room for it.
    @inlinable
    func makeIterator() -> IndexingIterator<[UInt8]> {
        var octets = [UInt8](repeating: 0, count: underestimatedCount + FieldWriter.slack)
        unsafe octets.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            // Safe: as above.
            unsafe write(start)
        }
        octets.removeLast(FieldWriter.slack)
        return octets.makeIterator()
    }

    /// Writes all octets, and possibly some of the slack.
    @inlinable
    @inline(__always)
    func write(_ start: UnsafeMutablePointer<UInt8>) {
        unsafe start.update(repeating: 0, count: prefixByteCount)
        var writer = unsafe FieldWriter(
            cursor: start + prefixByteCount, byteCount: byteCount, sizes: sizes, apart: apart,
            options: options)
        unsafe writer.fields(of: message)
        unsafe precondition(
            writer.cursor == writer.limit, "a message changed while it was encoded")
    }
}
