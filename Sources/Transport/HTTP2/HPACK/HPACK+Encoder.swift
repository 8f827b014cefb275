extension HPACK {
    /// Encodes the header blocks of one connection in the order in which they are sent.
    ///
    /// One or more calls of `encode` make one block. For example, a block has the prepared fields
    /// of a request and then its other fields. The peer's table size must not change between these
    /// calls, because size updates are allowed only at the beginning of a block.
    package struct Encoder: Sendable, ~Copyable {
        private var table: Table
        private var index = EncoderIndex()
        private var sightings = Sightings()
        private var prepared = PreparedBlocks()
        private let ownMaxTableByteCount: Int
        /// The smallest size since the last block, if it was not announced. Nil if no size must be
        /// announced.
        private var smallestUnannounced: Int?
        private let statics = StaticIndex.shared
        private let huffman = HuffmanEncoder.shared

        /// - Parameter maxTableByteCount: The largest table of this side, even if the peer allows
        ///   more.
        package init(maxTableByteCount: Int = 4096) {
            ownMaxTableByteCount = min(max(0, maxTableByteCount), Limits.tableByteCount)
            table = Table(limit: ownMaxTableByteCount)
            // The initial table of the peer has 4,096 bytes (RFC 9113 §6.5.2).
            if ownMaxTableByteCount != Self.initialPeerMaxTableByteCount {
                setPeerMaxTableByteCount(Self.initialPeerMaxTableByteCount)
            }
            smallestUnannounced =
                table.maxByteCount < Self.initialPeerMaxTableByteCount ? table.maxByteCount : nil
        }

        private static let initialPeerMaxTableByteCount = 4096
    }
}

// MARK: - Size

extension HPACK.Encoder {
    /// Applies the peer's SETTINGS_HEADER_TABLE_SIZE.
    mutating func setPeerMaxTableByteCount(_ byteCount: Int) {
        let byteCount = min(max(0, byteCount), ownMaxTableByteCount)
        guard byteCount != table.maxByteCount else { return }
        table.resize(maxByteCount: byteCount)
        prepared.tableChanged()
        smallestUnannounced = min(byteCount, smallestUnannounced ?? byteCount)
    }

    /// RFC 7541 §4.2: announces the smallest size first, because it evicted fields, then the
    /// current size.
    @inline(__always)
    private mutating func announceSize(into output: inout [UInt8]) {
        guard let smallest = smallestUnannounced else { return }
        smallestUnannounced = nil
        if smallest < table.maxByteCount {
            HPACK.append(integer: smallest, prefixBits: 5, pattern: 0x20, to: &output)
        }
        HPACK.append(integer: table.maxByteCount, prefixBits: 5, pattern: 0x20, to: &output)
    }
}

// MARK: - Blocks

extension HPACK.Encoder {
    package mutating func encode(_ list: HeaderList, into output: inout [UInt8]) {
        announceSize(into: &output)
        for field in list.fields {
            encode(field, of: list.bytes.contiguous.span, repeats: false, into: &output)
        }
    }

    /// Encodes fields that repeat: they enter the table at once. If the table has not changed since
    /// the last time, appends the same bytes again.
    package mutating func encode(_ headers: PreparedHeaders, into output: inout [UInt8]) {
        announceSize(into: &output)
        if prepared.append(headers, to: &output) { return }
        let start = output.count
        let insertedCount = table.insertedCount
        let list = headers.list
        for field in list.fields {
            encode(field, of: list.bytes.contiguous.span, repeats: true, into: &output)
        }
        if table.insertedCount == insertedCount {
            prepared.remember(headers, as: output.contiguous.span.extracting(start..<output.count))
        }
    }
}

// MARK: - Fields

extension HPACK.Encoder {
    private mutating func encode(
        _ field: HeaderList.Field, of bytes: Span<UInt8>, repeats: Bool,
        into output: inout [UInt8]
    ) {
        let name = bytes.extracting(field.name)
        let value = bytes.extracting(field.value)
        let nameHash = name.fastHash(seed: 0)
        let known = statics.indexes(of: name, nameHash: nameHash)

        if field.indexing == .never || statics.isSecret(known.lowerBound) {
            let nameIndex = nameIndex(name, nameHash, known)
            return append(
                name, nameIndex, value, prefixBits: 4, pattern: 0x10, to: &output)
        }
        for index in known where statics.hasValue(value, at: index) {
            return HPACK.append(integer: index, prefixBits: 7, pattern: 0x80, to: &output)
        }
        let fieldHash = value.fastHash(seed: nameHash)
        if let number = index.number(of: name, value, fieldHash: fieldHash, in: table) {
            return HPACK.append(
                integer: table.index(of: number), prefixBits: 7, pattern: 0x80, to: &output)
        }
        let nameIndex = nameIndex(name, nameHash, known)
        guard
            shouldInsert(
                field, nameIndex: nameIndex, repeats: repeats, fieldHash: fieldHash,
                nameHash: nameHash)
        else {
            return append(name, nameIndex, value, prefixBits: 4, pattern: 0, to: &output)
        }
        append(name, nameIndex, value, prefixBits: 6, pattern: 0x40, to: &output)
        table.insert(field, of: bytes)
        index.insert(fieldHash: fieldHash, nameHash: nameHash, of: table)
        prepared.tableChanged()
    }

    /// Whether to insert a field into the table. A field above ¾ of the table's size is not
    /// inserted. A field of prepared headers is inserted at once. Any other field is inserted when
    /// it is sent the second time. If its name is in no table, it is also inserted when the name is
    /// sent the second time. So fields that are sent only once do not evict others.
    private mutating func shouldInsert(
        _ field: HeaderList.Field, nameIndex: Int, repeats: Bool, fieldHash: UInt64,
        nameHash: UInt64
    ) -> Bool {
        guard field.indexing == .indexed else { return false }
        // A field that fills most of the table would evict all others.
        guard field.byteCount <= table.maxByteCount / 4 * 3 else { return false }
        if repeats { return true }
        let isFieldKnown = sightings.remember(fieldHash)
        let isNameKnown = nameIndex == 0 && sightings.remember(nameHash)
        return isFieldKnown || isNameKnown
    }

    private func nameIndex(_ name: Span<UInt8>, _ nameHash: UInt64, _ known: Range<Int>) -> Int {
        if !known.isEmpty { return known.lowerBound }
        guard let number = index.number(of: name, nameHash: nameHash, in: table) else { return 0 }
        return table.index(of: number)
    }

    private func append(
        _ name: Span<UInt8>, _ nameIndex: Int, _ value: Span<UInt8>, prefixBits: Int,
        pattern: UInt8, to output: inout [UInt8]
    ) {
        HPACK.append(integer: nameIndex, prefixBits: prefixBits, pattern: pattern, to: &output)
        if nameIndex == 0 { huffman.append(string: name, to: &output) }
        huffman.append(string: value, to: &output)
    }
}
