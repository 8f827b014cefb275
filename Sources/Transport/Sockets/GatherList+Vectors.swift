#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension GatherList {
    /// The most pieces in one system call. 64 entries are 1 KiB, which still fits the stack, and
    /// take 32 frames of 16 KiB with their headers: half a megabyte a call.
    package static let vectorLimit = 64

    /// Lends `body` the first pieces as the system wants them. Empty when the list is.
    func withVectors(_ body: (UnsafeBufferPointer<iovec>) -> Int) -> Int {
        let limit = Self.vectorLimit
        return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: limit) { vectors in
            unsafe shared.withUnsafeBytes { shared in
                unsafe collect(into: vectors, 0, shared, body)
            }
        }
    }

    /// Each array is lent for as long as the call that is nested in its closure: one frame of the
    /// stack an array, `vectorLimit` at most, and no pointer outlives its owner's promise.
    private func collect(
        into vectors: UnsafeMutableBufferPointer<iovec>, _ filled: Int,
        _ shared: UnsafeRawBufferPointer, _ body: (UnsafeBufferPointer<iovec>) -> Int
    ) -> Int {
        var filled = filled
        while filled < vectors.count, first + filled < pieces.count {
            let piece = pieces[first + filled]
            if let array = piece.array {
                return unsafe array.withUnsafeBytes { bytes in
                    unsafe Self.put(bytes, piece.range, into: vectors, filled)
                    return unsafe collect(into: vectors, filled + 1, shared, body)
                }
            }
            unsafe Self.put(shared, piece.range, into: vectors, filled)
            filled += 1
        }
        return unsafe body(UnsafeBufferPointer(rebasing: vectors[..<filled]))
    }

    private static func put(
        _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>,
        into vectors: UnsafeMutableBufferPointer<iovec>, _ index: Int
    ) {
        // Slicing checks that the range lies within the bytes; writing never happens through it.
        let part = unsafe UnsafeMutableRawBufferPointer(
            mutating: UnsafeRawBufferPointer(rebasing: bytes[range]))
        unsafe vectors.initializeElement(
            at: index, to: iovec(iov_base: part.baseAddress, iov_len: part.count))
    }
}
