/// The buffers that a writer moves to when its buffer is full.
///
/// The maker calls ``free()`` at the end. A `deinit` in its place would add code to each encoding.
@safe
struct LargerBuffers {
    /// The newest buffer. Its header, just before it, contains the address of the previous one.
    private var newest: UnsafeMutablePointer<UInt8>?

    /// A larger encoding is measured first, and then written once with its full size.
    static var maxMovedByteCount: Int { 1 << 16 }

    private static var headerByteCount: Int { 16 }

    init() { unsafe newest = nil }

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
