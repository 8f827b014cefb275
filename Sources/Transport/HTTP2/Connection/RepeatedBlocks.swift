/// Remembers header blocks that repeat, so that they are not decoded and checked again.
///
/// Most servers send the same headers and trailers with every response. A block that does not change
/// the decoder's table has the same meaning as long as the table stays the same.
struct RepeatedBlocks: ~Copyable {
    /// Identifies a header list among all lists that were remembered on the connection.
    typealias ID = UInt64

    /// The kind and the ID of the remembered list that the last block repeats. Nil if the last block had to
    /// be decoded.
    private(set) var current: (kind: HeaderRules.Kind, id: ID)?

    private var response = Remembered()
    private var trailers = Remembered()
    private var lastID: ID = 0

    fileprivate struct Remembered {
        var entry: Entry?
        /// The fingerprint of the last block. A block is remembered when it arrives twice in a row.
        var last = Fingerprint()
    }

    fileprivate struct Entry {
        let id: ID
        let block: [UInt8]
        let table: HPACK.Decoder.TableState
        let headers: HeaderList
    }

    fileprivate struct Fingerprint: Equatable {
        var byteCount = 0
        var sum: UInt32 = 0
        var table: HPACK.Decoder.TableState?
    }
}

extension RepeatedBlocks {
    /// Searches the remembered blocks. Returns false when the block has to be decoded.
    mutating func find(_ block: Span<UInt8>, _ table: HPACK.Decoder.TableState?) -> Bool {
        current = nil
        guard let table else { return false }
        if let id = response.id(of: block, table) {
            current = (.response, id)
        } else if let id = trailers.id(of: block, table) {
            current = (.trailers, id)
        }
        return current != nil
    }

    /// The fields of the block that was found.
    var headers: HeaderList? {
        switch current?.kind {
        case .response: response.entry?.headers
        case .trailers: trailers.entry?.headers
        case .request, nil: nil
        }
    }

    /// Notes a block that was valid and did not change the table.
    mutating func note(
        _ block: Span<UInt8>, _ table: HPACK.Decoder.TableState, _ headers: HeaderList,
        as kind: HeaderRules.Kind
    ) {
        guard block.count <= Limits.repeatedBlockByteCount,
            headers.byteCount <= Limits.repeatedListByteCount
        else { return }
        lastID += 1
        switch kind {
        case .response: response.note(block, table, headers, lastID)
        case .trailers: trailers.note(block, table, headers, lastID)
        case .request: break
        }
    }
}

extension RepeatedBlocks.Remembered {
    fileprivate func id(
        of block: Span<UInt8>, _ table: HPACK.Decoder.TableState
    ) -> RepeatedBlocks.ID? {
        guard let known = entry?.block, known.contiguous.span.equals(block), entry?.table == table
        else { return nil }
        return entry?.id
    }

    fileprivate mutating func note(
        _ block: Span<UInt8>, _ table: HPACK.Decoder.TableState, _ headers: HeaderList,
        _ id: RepeatedBlocks.ID
    ) {
        let fingerprint = RepeatedBlocks.Fingerprint(block, table)
        defer { last = fingerprint }
        guard fingerprint == last else { return }
        entry = RepeatedBlocks.Entry(
            id: id, block: [UInt8](copying: block), table: table, headers: headers)
    }
}

extension RepeatedBlocks.Fingerprint {
    fileprivate init(_ block: Span<UInt8>, _ table: HPACK.Decoder.TableState) {
        byteCount = block.count
        for index in block.indices { sum &+= UInt32(block[index]) &* UInt32(index + 1) }
        self.table = table
    }
}
