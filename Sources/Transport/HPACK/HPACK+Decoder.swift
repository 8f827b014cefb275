extension HPACK {
    /// Decodes the header blocks of one connection, in the order in which they arrived.
    package struct Decoder: Sendable {
        package enum Outcome: Hashable, Sendable {
            case complete
            /// The list is over its limit and was not kept; the table is in step all the same.
            case tooLarge
        }

        private var table: Table
        /// The largest table that the peer may choose: our SETTINGS_HEADER_TABLE_SIZE.
        private var limit: Int
        /// What the size update at the start of the next block may be at most, where one is due
        /// because the limit fell below the size in force (RFC 7541 §4.2).
        private var dueSizeUpdate: Int?
        private let huffman = HuffmanDecoder.shared

        package init(maxTableByteCount: Int = 4096) {
            limit = Self.clamped(maxTableByteCount)
            table = Table(limit: limit)
        }

        /// Positions in a table are 32 bits wide; no limit comes near that.
        private static func clamped(_ byteCount: Int) -> Int { min(max(0, byteCount), 1 << 28) }
    }
}

// MARK: - Limits

extension HPACK.Decoder {
    /// Our SETTINGS_HEADER_TABLE_SIZE took effect: the peer has acknowledged it.
    package mutating func setMaxTableByteCount(_ byteCount: Int) {
        limit = Self.clamped(byteCount)
        table.reserve(limit: limit)
        if limit < table.maxByteCount { dueSizeUpdate = min(limit, dueSizeUpdate ?? limit) }
    }
}

// MARK: - The table

extension HPACK.Decoder {
    /// Which fields lie in the dynamic table, and which would fit: equal states of one connection's
    /// decoder mean the same fields under the same indices, and the same of every block.
    package struct TableState: Hashable, Sendable {
        fileprivate let insertedCount: Int
        fileprivate let oldest: Int
        fileprivate let maxByteCount: Int
    }

    /// The table as the next block finds it; nil when that block must change it.
    package var tableState: TableState? {
        guard dueSizeUpdate == nil else { return nil }
        return TableState(
            insertedCount: table.insertedCount, oldest: table.oldest,
            maxByteCount: table.maxByteCount)
    }

    /// Whether a block begins with an instruction to change the table's size.
    static func changesTableSize(_ block: Span<UInt8>) -> Bool {
        !block.isEmpty && block[0] & 0xe0 == 0x20
    }
}

// MARK: - A block

extension HPACK.Decoder {
    /// Decodes a whole block into `list`, which is emptied first.
    ///
    /// - Parameter maxListByteCount: The most that the list may come to (RFC 9113 §6.5.2). What
    ///   would pass it is counted, and no memory is spent on it beyond one table entry.
    package mutating func decode(
        _ block: Span<UInt8>, into list: inout HeaderList, maxListByteCount: Int
    ) throws(HPACK.Malformation) -> Outcome {
        list.removeAll()
        var offset = 0
        try readSizeUpdates(block, at: &offset)

        var budget = Budget(left: min(maxListByteCount, 1 << 28))
        while offset < block.count {
            let octet = block[offset]
            if octet & 0x80 != 0 {
                let index = try Self.readIndex(block, at: &offset)
                guard let field = table.field(at: index) else { throw .invalidIndex }
                if budget.spend(field.byteCount) {
                    list.append(copying: field, of: table)
                } else {
                    list.removeAll()
                }
            } else if octet & 0x40 != 0 {
                try readLiteral(
                    block, at: &offset, prefixBits: 6, .indexed, into: &list, &budget)
            } else if octet & 0x20 != 0 {
                throw .tableSizeUpdateInsideBlock
            } else {
                try readLiteral(
                    block, at: &offset, prefixBits: 4, octet & 0x10 != 0 ? .never : .unindexed,
                    into: &list, &budget)
            }
        }
        return budget.isExceeded ? .tooLarge : .complete
    }

    /// What may still be added to a list. Once exceeded it stays so.
    private struct Budget {
        var left: Int
        var isExceeded: Bool { left < 0 }

        @inline(__always)
        mutating func spend(_ byteCount: Int) -> Bool {
            guard left >= 0 else { return false }
            left -= byteCount
            return left >= 0
        }
    }

    @inline(__always)
    private static func readIndex(
        _ block: Span<UInt8>, at offset: inout Int
    ) throws(HPACK.Malformation) -> Int {
        let octet = block[offset]
        guard octet == 0xff else {
            offset += 1
            return Int(octet & 0x7f)
        }
        return try HPACK.readInteger(from: block, at: &offset, prefixBits: 7)
    }

    /// §4.2: size updates stand at the start of a block, and two say all there is to say: the
    /// smallest size since the last block, and the size from now on.
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
    /// Reads a field with a literal value (§6.2) to the end of `list`, and takes it away again
    /// when it turns out to be over the limit.
    private mutating func readLiteral(
        _ block: Span<UInt8>, at offset: inout Int, prefixBits: Int,
        _ indexing: HeaderList.Indexing, into list: inout HeaderList, _ budget: inout Budget
    ) throws(HPACK.Malformation) {
        let start = list.octets.count
        // How long name and value may be to be of use: in the list, or else in the table.
        var room = budget.left - 32
        if indexing == .indexed { room = max(room, table.maxByteCount - 32) }

        let nameByteCount: Int
        let index = try HPACK.readInteger(from: block, at: &offset, prefixBits: prefixBits)
        if index == 0 {
            nameByteCount = try readString(block, at: &offset, room: room, into: &list.octets)
        } else {
            guard let field = table.field(at: index) else { throw .invalidIndex }
            nameByteCount = Int(field.nameByteCount)
            if nameByteCount <= room {
                list.octets.append(copying: table.octets.span.extracting(field.name))
            }
        }
        let valueByteCount = try readString(
            block, at: &offset, room: room - nameByteCount, into: &list.octets)

        let byteCount = nameByteCount + valueByteCount + 32
        if byteCount - 32 <= room {
            var field = HeaderList.Field(
                start: Int32(start), nameByteCount: Int32(nameByteCount),
                valueByteCount: Int32(valueByteCount), indexing: indexing)
            if indexing == .indexed {
                field.verdict = HeaderRules.verdict(on: field, in: list.octets.span)
                table.insert(field, of: list.octets.span)
            }
            list.fields.append(field)
        } else if indexing == .indexed {
            // §4.4: larger than the table, or it would have had room.
            table.removeAll()
        }
        if !budget.spend(byteCount) { list.removeAll() }
    }

    /// Reads a string (§5.2) and appends it to `octets` when there is room for it. Returns its
    /// length either way, so that the decision needs no memory.
    private func readString(
        _ block: Span<UInt8>, at offset: inout Int, room: Int, into octets: inout [UInt8]
    ) throws(HPACK.Malformation) -> Int {
        guard offset < block.count else { throw .truncated }
        let isHuffman = block[offset] & 0x80 != 0
        let byteCount = try HPACK.readInteger(from: block, at: &offset, prefixBits: 7)
        guard byteCount <= block.count - offset else { throw .truncated }
        let string = block.extracting(offset..<offset + byteCount)
        offset += byteCount

        guard isHuffman else {
            if byteCount <= room { octets.append(copying: string) }
            return byteCount
        }
        if HPACK.HuffmanDecoder.maxDecodedByteCount(of: byteCount) <= room {
            return try huffman.decode(string, appendingTo: &octets)
        }
        let decodedByteCount = try huffman.decodedByteCount(of: string)
        if decodedByteCount <= room { _ = try huffman.decode(string, appendingTo: &octets) }
        return decodedByteCount
    }
}
