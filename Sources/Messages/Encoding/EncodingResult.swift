/// The outcome of an encoding, and the buffers that the writer moved to.
///
/// It owns the memory of its pointers, and the encoding frees that memory at its end. A type with a `deinit`
/// would add code to each encoding.
@frozen
@safe
@usableFromInline
struct EncodingResult {
    /// The size of the encoding and its prefix, even if it was not written.
    @usableFromInline var byteCount = 0
    @usableFromInline var isWritten = false
    /// The first error that a `visit` threw. ``takeFailure()`` frees it.
    @usableFromInline var failure: UnsafeMutablePointer<WireError>?

    /// The buffer that holds the encoding.
    @usableFromInline var start: UnsafeMutablePointer<UInt8>?
    /// Whether the writer may move to a larger buffer.
    @usableFromInline var mayMove = false
    /// The newest of the larger buffers. Its header, just before it, contains the address of the previous
    /// one.
    private var newest: UnsafeMutablePointer<UInt8>?

    /// A larger encoding is measured first, and then written once with its full size.
    static var maxMovedByteCount: Int { 1 << 16 }

    private static var headerByteCount: Int { 16 }

    @usableFromInline
    init() { unsafe (failure, start, newest) = (nil, nil, nil) }

    @inlinable var hasFailed: Bool { unsafe failure != nil }

    /// Keeps the error, unless there is an earlier one.
    mutating func note(_ error: WireError) {
        guard !hasFailed else { return }
        let kept = UnsafeMutablePointer<WireError>.allocate(capacity: 1)
        unsafe kept.initialize(to: error)
        unsafe failure = kept
    }

    @usableFromInline
    mutating func takeFailure() -> WireError? {
        guard let kept = unsafe failure else { return nil }
        unsafe failure = nil
        defer { unsafe kept.deallocate() }
        return unsafe kept.move()
    }

    /// Allocates a buffer that is valid until ``free()``, which frees all buffers together. A copy of a
    /// visitor may still point to an older buffer.
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
