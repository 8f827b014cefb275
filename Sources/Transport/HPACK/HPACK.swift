/// Header compression (RFC 7541). A namespace, so that its parts need no prefix and each has a
/// file of its own.
package enum HPACK {
    /// A broken header block. Always fatal for the connection, because the two dynamic tables no
    /// longer agree and nothing after it can be decoded (RFC 9113 §4.3).
    package enum Malformation: Error, Hashable, Sendable {
        case truncated
        case integerTooLarge
        case invalidIndex
        case invalidHuffmanCode
        case tableSizeAboveLimit
        case tableSizeUpdateInsideBlock
        case tooManyTableSizeUpdates
        case missingTableSizeUpdate
    }
}
