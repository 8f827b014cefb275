/// The outcome of an encoding, and the buffers that the writer moved to.
@frozen
@safe
@usableFromInline
struct EncodingResult {
    /// The size of the encoding and its prefix, whether it was written or not.
    @usableFromInline var byteCount = 0
    @usableFromInline var isWritten = false
    /// The first error that a `visit` threw.
    @usableFromInline var failure: WireError?

    /// The buffer that holds the encoding.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>?
    /// Whether the writer may move to a larger buffer.
    @usableFromInline var mayMove = false
    /// The newest of the larger buffers. Its header, just below it, holds the previous one's
    /// address.
    private var newest: UnsafeMutablePointer<UInt8>?

    /// A larger encoding is measured first, then written once at its full size.
    static var maxMovedByteCount: Int { 1 << 16 }

    private static var headerByteCount: Int { 16 }

    @usableFromInline
    init() { unsafe (start, newest) = (nil, nil) }

    /// Allocates a buffer that is valid until ``free()``. All of them are freed together, because a
    /// copy of a visitor may still point to an older one.
    mutating func allocate(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.headerByteCount + byteCount, alignment: Self.headerByteCount)
        unsafe block.storeBytes(of: UInt(bitPattern: newest), as: UInt.self)
        let buffer = unsafe (block + Self.headerByteCount).assumingMemoryBound(to: UInt8.self)
        unsafe newest = buffer
        return unsafe buffer
    }

    @usableFromInline
    mutating func free() {
        while let buffer = unsafe newest {
            // Safe: `allocate` stored the address there, or zero, which is nil.
            let block = unsafe UnsafeMutableRawPointer(buffer) - Self.headerByteCount
            unsafe newest = UnsafeMutablePointer(bitPattern: block.load(as: UInt.self))
            unsafe block.deallocate()
        }
    }
}
