extension Message {
    @inlinable
    public func encoded(
        reservingPrefix prefixByteCount: Int, options: EncodingOptions
    ) -> [UInt8] {
        precondition(prefixByteCount >= 0, "a prefix of \(prefixByteCount) octets")
        return unsafe withUnsafeTemporaryAllocation(
            of: Int.self, capacity: NestedSizes.inlineCount
        ) { places in
            guard let first = places.baseAddress else { return [] }
            // Safe: the sizer and the writer live only inside the closures.
            var sizer = unsafe FieldSizer(sizes: NestedSizes(first: first), options: options)
            unsafe withUnsafePointer(to: self) { unsafe sizer.fields(of: $0) }
            let byteCount = sizer.byteCount
            let total = prefixByteCount + byteCount
            guard total > 0 else { return [] }
            var octets = [UInt8](zeroes: total, slack: FieldWriter.slack)
            unsafe octets.withUnsafeMutableBufferPointer { buffer in
                guard let start = buffer.baseAddress else { return }
                // Safe: the array has room for the slack behind its elements.
                var writer = unsafe FieldWriter(
                    cursor: start + prefixByteCount, byteCount: byteCount, sizes: sizer.sizes,
                    options: options)
                unsafe withUnsafePointer(to: self) { unsafe writer.fields(of: $0) }
                unsafe precondition(
                    writer.cursor == writer.limit, "a message changed while it was encoded")
            }
            return octets
        }
    }
}

extension [UInt8] {
    /// Zeroes to write over, and room for more behind them.
    ///
    /// An array without initial values would have to be made by a function that is not specialised
    /// for octets, and takes longer than to allocate and clear a kilobyte.
    @inlinable
    @inline(__always)
    init(zeroes count: Int, slack: Int) {
        self = []
        reserveCapacity(count + slack)
        append(contentsOf: repeatElement(0, count: count))
    }
}
