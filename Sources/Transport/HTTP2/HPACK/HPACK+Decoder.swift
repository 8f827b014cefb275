extension HPACK {
    /// Decodes the header blocks of one connection in the order in which they arrived.
    package struct Decoder: Sendable, ~Copyable {
        package enum Outcome: Equatable, Sendable {
            case complete
            /// The list is larger than the limit and was dropped. The table is correct.
            case tooLarge
        }

        private var table: Table
        /// The largest table that the peer may choose: our SETTINGS_HEADER_TABLE_SIZE.
        private var limit: Int
        /// The next block must begin with a size update of at most this size, because the limit
        /// became smaller than the current size (RFC 7541 §4.2). Nil if no update is required.
        private var dueSizeUpdate: Int?
        private let huffman = HuffmanDecoder.shared

        package init(maxTableByteCount: Int = 4096) {
            limit = Self.clamped(maxTableByteCount)
            table = Table(limit: limit)
        }

        /// Limits a table's size to `Limits.tableByteCount`, because positions in a table have 32
        /// bits.
        private static func clamped(_ byteCount: Int) -> Int {
            min(max(0, byteCount), Limits.tableByteCount)
        }
    }
}

// MARK: - Limits

extension HPACK.Decoder {
    /// Applies our SETTINGS_HEADER_TABLE_SIZE, which the peer has acknowledged.
    mutating func setMaxTableByteCount(_ byteCount: Int) {
        limit = Self.clamped(byteCount)
        if limit < table.maxByteCount { dueSizeUpdate = min(limit, dueSizeUpdate ?? limit) }
    }
}

// MARK: - The table

extension HPACK.Decoder {
    /// Identifies the contents of the dynamic table: with equal states of one decoder, every block
    /// has the same meaning.
    struct TableState: Equatable, Sendable {
        fileprivate let insertedCount: Int
        fileprivate let oldest: Int
        fileprivate let maxByteCount: Int
    }

    /// Identifies the table before the next block. Nil if that block must change the table's size.
    var tableState: TableState? {
        guard dueSizeUpdate == nil else { return nil }
        return TableState(
            insertedCount: table.insertedCount, oldest: table.oldest,
            maxByteCount: table.maxByteCount)
    }

    /// Whether a block begins with a table size update.
    static func changesTableSize(_ block: Span<UInt8>) -> Bool {
        !block.isEmpty && block[0] & 0xe0 == 0x20
    }
}

// MARK: - A block

extension HPACK.Decoder {
    /// Decodes a complete block into `list`, which is emptied first.
    ///
    /// - Parameter maxListByteCount: The largest size of the list (RFC 9113 §6.5.2). Fields beyond
    ///   it are counted, and need no memory other than one table entry. Fields beyond it that change
    ///   the table are also limited: by ``Limits/discardedFieldByteCount``.
    package mutating func decode(
        _ block: Span<UInt8>, into list: inout HeaderList, maxListByteCount: Int
    ) throws(HPACK.Malformation) -> Outcome {
        list.removeAll()
        var offset = 0
        try readSizeUpdates(block, at: &offset)

        var budget = Budget(left: min(maxListByteCount, Limits.tableByteCount))
        while offset < block.count {
            let byte = block[offset]
            if byte & 0x80 != 0 {
                let index = try Self.readIndex(block, at: &offset)
                guard let field = table.field(at: index) else { throw .invalidIndex }
                if budget.spend(field.byteCount) {
                    list.append(copying: field, at: index, of: table)
                } else {
                    list.removeAll()
                }
            } else if byte & 0x40 != 0 {
                try readLiteral(
                    block, at: &offset, prefixBits: 6, .indexed, into: &list, &budget)
            } else if byte & 0x20 != 0 {
                throw .tableSizeUpdateInsideBlock
            } else {
                try readLiteral(
                    block, at: &offset, prefixBits: 4, byte & 0x10 != 0 ? .never : .unindexed,
                    into: &list, &budget)
            }
        }
        return budget.isExceeded ? .tooLarge : .complete
    }

    /// How many bytes may still be added to a list. After a field has exceeded it, every further
    /// field is refused.
    private struct Budget {
        var left: Int
        /// How many bytes may still be inserted into the table by fields that are refused.
        var discardedLeft = Limits.discardedFieldByteCount
        var isExceeded: Bool { left < 0 }

        @inline(__always)
        mutating func spend(_ byteCount: Int) -> Bool {
            guard left >= 0 else { return false }
            left -= byteCount
            return left >= 0
        }

        /// Charges for a field that is decoded for the table alone.
        mutating func discard(_ byteCount: Int) throws(HPACK.Malformation) {
            guard isExceeded else { return }
            discardedLeft -= byteCount
            guard discardedLeft >= 0 else { throw .excessiveTableChanges }
        }
    }

    @inline(__always)
    private static func readIndex(
        _ block: Span<UInt8>, at offset: inout Int
    ) throws(HPACK.Malformation) -> Int {
        let byte = block[offset]
        guard byte == 0xff else {
            offset += 1
            return Int(byte & 0x7f)
        }
        return try HPACK.readInteger(from: block, at: &offset, prefixBits: 7)
    }

    /// §4.2: a block begins with at most two size updates: the smallest size since the last block,
    /// and the current size.
    @inline(__always)
    private mutating func readSizeUpdates(
        _ block: Span<UInt8>, at offset: inout Int
    ) throws(HPACK.Malformation) {
        guard dueSizeUpdate != nil || Self.changesTableSize(block) else { return }
        var count = 0
        while offset < block.count, block[offset] & 0xe0 == 0x20 {
            count += 1
            guard count <= 2 else { throw .tooManyTableSizeUpdates }
            let byteCount = try HPACK.readInteger(from: block, at: &offset, prefixBits: 5)
            guard byteCount <= dueSizeUpdate ?? limit else { throw .tableSizeAboveLimit }
            dueSizeUpdate = nil
            table.resize(maxByteCount: byteCount)
        }
        guard dueSizeUpdate == nil else { throw .missingTableSizeUpdate }
    }
}

// MARK: - Literals

extension HPACK.Decoder {
    /// Reads a field with a literal value (§6.2) and appends it to `list`. Empties `list` if the
    /// field exceeds the limit.
    private mutating func readLiteral(
        _ block: Span<UInt8>, at offset: inout Int, prefixBits: Int,
        _ indexing: HeaderList.Indexing, into list: inout HeaderList, _ budget: inout Budget
    ) throws(HPACK.Malformation) {
        let start = list.bytes.count
        // The largest name and value that the list or the table can hold.
        var room = budget.left - 32
        if indexing == .indexed { room = max(room, table.maxByteCount - 32) }

        let nameByteCount: Int
        let index = try HPACK.readInteger(from: block, at: &offset, prefixBits: prefixBits)
        if index == 0 {
            nameByteCount = try readString(block, at: &offset, room: room, into: &list.bytes)
        } else {
            guard let field = table.field(at: index) else { throw .invalidIndex }
            nameByteCount = Int(field.nameByteCount)
            if nameByteCount <= room {
                table.append(field.name, ofFieldAt: index, to: &list.bytes)
            }
        }
        let valueByteCount = try readString(
            block, at: &offset, room: room - nameByteCount, into: &list.bytes)

        let byteCount = nameByteCount + valueByteCount + 32
        if byteCount - 32 <= room {
            var field = HeaderList.Field(
                start: Int32(start), nameByteCount: Int32(nameByteCount),
                valueByteCount: Int32(valueByteCount), indexing: indexing)
            if indexing == .indexed {
                try budget.discard(byteCount)
                field.verdict = HeaderRules.verdict(on: field, in: list.bytes.contiguous.span)
                table.insert(field, of: list.bytes.contiguous.span)
            }
            list.fields.append(field)
        } else if indexing == .indexed {
            // §4.4: the field is larger than the table.
            table.removeAll()
        }
        if !budget.spend(byteCount) { list.removeAll() }
    }

    /// Reads a string (§5.2). Appends it to `bytes` if it fits `room`. Returns its length even if
    /// it does not fit.
    private func readString(
        _ block: Span<UInt8>, at offset: inout Int, room: Int, into bytes: inout [UInt8]
    ) throws(HPACK.Malformation) -> Int {
        guard offset < block.count else { throw .truncated }
        let isHuffman = block[offset] & 0x80 != 0
        let byteCount = try HPACK.readInteger(from: block, at: &offset, prefixBits: 7)
        guard byteCount <= block.count - offset else { throw .truncated }
        let string = block.extracting(offset..<offset + byteCount)
        offset += byteCount

        guard isHuffman else {
            if byteCount <= room { bytes.append(copying: string) }
            return byteCount
        }
        if HPACK.HuffmanDecoder.maxDecodedByteCount(of: byteCount) <= room {
            return try huffman.decode(string, appendingTo: &bytes)
        }
        let decodedByteCount = try huffman.decodedByteCount(of: string)
        if decodedByteCount <= room { _ = try huffman.decode(string, appendingTo: &bytes) }
        return decodedByteCount
    }
}
