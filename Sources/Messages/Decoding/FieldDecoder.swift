/// Decodes the fields of a message, as its table says.
///
/// The decoder always reads the next tag in advance. Senders write fields in the order of their numbers, so the next
/// tag is nearly always that of one of the next entries of the table.
///
/// Invariant: `start ≤ tagStart ≤ cursor ≤ end`. All of them point into one buffer, which is borrowed as long
/// as the decoder exists.
@safe
@usableFromInline
package struct FieldDecoder {
    @usableFromInline package var cursor: UnsafePointer<UInt8>
    @usableFromInline package var end: UnsafePointer<UInt8>

    /// The next tag, or ``Tag/end``.
    @usableFromInline package var tag = Tag.end
    @usableFromInline package var tagStart: UnsafePointer<UInt8>
    @usableFromInline let start: UnsafePointer<UInt8>

    /// The number of the group whose fields are being read. Zero in a message, because no field has the
    /// number zero.
    @usableFromInline package var openGroup: UInt32 = 0
    @usableFromInline package var depthLeft: Int
    @usableFromInline package let keepsUnknownFields: Bool

    package init(start: UnsafePointer<UInt8>, byteCount: Int, options: DecodingOptions) {
        unsafe cursor = start
        unsafe end = start + byteCount
        unsafe tagStart = start
        unsafe self.start = start
        depthLeft = options.maxDepth
        keepsUnknownFields = options.keepsUnknownFields
    }
}
