/// The outcome of an encoding, and the buffers that the writer moved to.
///
/// It owns the memory of its pointers, and the encoding frees that memory at its end. A type with a `deinit`
/// would add code to each encoding.
@safe
struct EncodingResult {
    /// The size of the encoding and its prefix, even if it was not written.
    var byteCount = 0
    var isWritten = false

    /// The buffer that holds the encoding.
    var start: UnsafeMutablePointer<UInt8>?
    /// Whether the writer may move to a larger buffer.
    var mayMove = false
    /// The newest of the larger buffers. Its header, just before it, contains the address of the previous
    /// one.
    private var newest: UnsafeMutablePointer<UInt8>?

    /// A larger encoding is measured first, and then written once with its full size.
    static var maxMovedByteCount: Int { 1 << 16 }

    private static var headerByteCount: Int { 16 }

    init() { unsafe (start, newest) = (nil, nil) }

    /// Allocates a buffer that is valid until ``free()``, which frees all buffers together. A caller may still hold the
    /// address of an older one.
    mutating func allocate(_ byteCount: Int) -> UnsafeMutablePointer<UInt8> {
        let block = UnsafeMutableRawPointer.allocate(
            byteCount: Self.headerByteCount + byteCount, alignment: Self.headerByteCount)
        unsafe block.storeBytes(of: UInt(bitPattern: newest), as: UInt.self)
        let buffer = unsafe (block + Self.headerByteCount).assumingMemoryBound(to: UInt8.self)
        unsafe newest = buffer
        return unsafe buffer
    }

    mutating func free() {
        while let buffer = unsafe newest {
            // Safe: `allocate` stored the address there, or zero, which is nil.
            let block = unsafe UnsafeMutableRawPointer(buffer) - Self.headerByteCount
            unsafe newest = UnsafeMutablePointer(bitPattern: block.load(as: UInt.self))
            unsafe block.deallocate()
        }
    }
}
