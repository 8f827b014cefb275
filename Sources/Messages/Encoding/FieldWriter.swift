/// Writes the encoding of a message into a buffer, field by field as its table says. When the buffer is full, the writer
/// moves to a larger buffer if that is allowed. Otherwise it only counts the remaining bytes. So one pass either writes
/// the message or finds its size.
///
/// A nested message is written after one byte for its length. If the length needs more bytes, the written
/// bytes are moved: when the nested message ends, or before large bytes are copied into it.
///
/// Invariant: the buffer has `slack` bytes beyond `limit`, and `count` is never negative. A primitive
/// writes only if `count` is at most `limit`. Only `copy` may write more than `slack` bytes: it checks that
/// they fit.
@safe
struct FieldWriter {
    /// A tag has at most five bytes, and a varint has at most ten.
    static var slack: Int { 16 }

    var start: UnsafeMutablePointer<UInt8>
    /// The size of the encoding so far, in bytes, even if it was not written.
    var count: Int
    /// The largest `count` at which a primitive may be written: the buffer's size minus `slack`.
    /// Negative if the buffer is smaller than that.
    var limit: Int
    /// The index of the length of the innermost value that is not complete; negative if there is none.
    var openIndex = -1
    /// How many bytes are reserved for that length.
    var openWidth = 1
    /// The size of the fields in `separate`.
    var separateByteCount = 0
    /// Takes the fields that are not copied; nil if all are.
    let separate: UnsafeMutablePointer<SeparateBytes>?
    /// Has the larger buffers. Nil if the writer may only count when its buffer is full.
    var larger: UnsafeMutablePointer<LargerBuffers>?
    let options: EncodingOptions

    /// Starts after `prefixByteCount` zero bytes. The pointers must be valid as long as the writer is used.
    @inline(__always)
    init(
        _ start: UnsafeMutablePointer<UInt8>, byteCount: Int, prefixByteCount: Int,
        separate: UnsafeMutablePointer<SeparateBytes>?,
        larger: UnsafeMutablePointer<LargerBuffers>?, options: EncodingOptions
    ) {
        unsafe self.start = start
        unsafe self.separate = separate
        unsafe self.larger = larger
        limit = byteCount &- Self.slack
        count = prefixByteCount
        self.options = options
        // Safe: the free space is checked.
        if prefixByteCount <= limit { unsafe start.update(repeating: 0, count: prefixByteCount) }
    }
    /// Whether all was written. Otherwise, `count` is the size that a buffer needs, beside the slack.
    var hasWritten: Bool { count <= limit }
}
