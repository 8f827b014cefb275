import CSwiftletSystem

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension GatherList {
    /// The most pieces in one system call. 64 entries need 1 KiB of the stack. They hold 32 frames
    /// of 16 KiB with their headers: half a megabyte per call.
    static let vectorLimit = 64

    /// Calls `body` with the first pieces as the system's vectors. Empty when the list is empty.
    func withVectors(_ body: (UnsafeBufferPointer<iovec>) -> Int) -> Int {
        let limit = Self.vectorLimit
        return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: limit) { vectors in
            unsafe shared.withUnsafeBytes { shared in
                unsafe collect(into: vectors, 0, shared, body)
            }
        }
    }

    /// Calls itself inside the `withUnsafeBytes` of each array, so that the array's pointer stays
    /// valid. This nests at most `vectorLimit` calls.
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
        // Slicing checks the range. Nothing writes through the pointer.
        let part = unsafe UnsafeMutableRawBufferPointer(
            mutating: UnsafeRawBufferPointer(rebasing: bytes[range]))
        unsafe vectors.initializeElement(
            at: index, to: iovec(iov_base: part.baseAddress, iov_len: part.count))
    }
}
