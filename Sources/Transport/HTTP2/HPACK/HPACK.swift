/// Header compression (RFC 7541). A namespace, so that its types need no prefix.
package enum HPACK {
    /// An invalid header block. It ends the connection, because the dynamic tables of both sides
    /// differ and no later block can be decoded (RFC 9113 §4.3).
    package enum Malformation: Error, Equatable, Sendable {
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

extension HPACK.Malformation: CustomStringConvertible {
    package var description: String {
        switch self {
        case .truncated: "it ends in the middle of a field"
        case .integerTooLarge: "an integer is too large"
        case .invalidIndex: "an index is not in the table"
        case .invalidHuffmanCode: "a string has an invalid Huffman code"
        case .tableSizeAboveLimit: "the new size of the table is above the limit"
        case .tableSizeUpdateInsideBlock: "the size of the table changes after the first field"
        case .tooManyTableSizeUpdates: "the size of the table changes more than twice"
        case .missingTableSizeUpdate: "the size of the table does not change, as it must"
        case .excessiveTableChanges: "its fields change too much of the table"
        }
    }
}
