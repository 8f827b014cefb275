/// Header compression (RFC 7541). A namespace, so that its types need no prefix.
package enum HPACK {
    /// An invalid header block. It ends the connection, because the dynamic tables of both sides
    /// differ and no later block can be decoded (RFC 9113 §4.3).
    package enum Malformation: Error, Hashable, Sendable {
        case truncated
        case integerTooLarge
        case invalidIndex
        case invalidHuffmanCode
        case tableSizeAboveLimit
        case tableSizeUpdateInsideBlock
        case tooManyTableSizeUpdates
        case missingTableSizeUpdate
        /// The fields of a list above the limit insert too many bytes into the table.
        case excessiveTableChanges
    }
}
