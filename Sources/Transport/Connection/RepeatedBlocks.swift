/// Header blocks that came before, octet by octet, and what they say.
///
/// A server begins and ends its answers in the same words, as a rule. A block that puts nothing
/// into the decoder's table means the same for as long as the table stays as it is, so it is
/// decoded and checked once.
struct RepeatedBlocks {
    /// Which list it is, among all that were kept for the connection.
    typealias ID = UInt64

    /// What the block that came last is a repetition of: a response's headers or trailers that
    /// were found right when they came before. Nil when it had to be decoded.
    private(set) var current: (kind: HeaderRules.Kind, id: ID)?

    private var response = Memory()
    private var trailers = Memory()
    private var lastID: ID = 0

    /// Larger blocks are not worth the memory.
    private static let maxBlockByteCount = 128
    private static let maxListByteCount = 1_024

    fileprivate struct Memory {
        var entry: Entry?
        /// What the last block looked like: only what comes a second time is kept.
        var last = Looks()
    }

    fileprivate struct Entry {
        let id: ID
        let block: [UInt8]
        let table: HPACK.Decoder.TableState
        let headers: HeaderList
    }

    fileprivate struct Looks: Hashable {
        var byteCount = 0
        var sum: UInt32 = 0
        var table: HPACK.Decoder.TableState?
    }
}

extension RepeatedBlocks {
    /// Looks for a block among those that came before. False when it has to be decoded.
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

    /// What the block says that was found.
    var headers: HeaderList? {
        switch current?.kind {
        case .response: response.entry?.headers
        case .trailers: trailers.entry?.headers
        case .request, nil: nil
        }
    }

    /// Notes a block that was decoded and found right, and left the table as it was.
    mutating func note(
        _ block: Span<UInt8>, _ table: HPACK.Decoder.TableState, _ headers: HeaderList,
        as kind: HeaderRules.Kind
    ) {
        guard block.count <= Self.maxBlockByteCount, headers.byteCount <= Self.maxListByteCount
        else { return }
        lastID += 1
        switch kind {
        case .response: response.note(block, table, headers, lastID)
        case .trailers: trailers.note(block, table, headers, lastID)
        case .request: break
        }
    }
}

extension RepeatedBlocks.Memory {
    fileprivate func id(
        of block: Span<UInt8>, _ table: HPACK.Decoder.TableState
    ) -> RepeatedBlocks.ID? {
        guard let known = entry?.block, known.count == block.count, entry?.table == table
        else { return nil }
        let octets = known.span
        for index in octets.indices where octets[index] != block[index] { return nil }
        return entry?.id
    }

    fileprivate mutating func note(
        _ block: Span<UInt8>, _ table: HPACK.Decoder.TableState, _ headers: HeaderList,
        _ id: RepeatedBlocks.ID
    ) {
        let looks = RepeatedBlocks.Looks(block, table)
        defer { last = looks }
        guard looks == last else { return }
        entry = RepeatedBlocks.Entry(
            id: id, block: [UInt8](copying: block), table: table, headers: headers)
    }
}

extension RepeatedBlocks.Looks {
    fileprivate init(_ block: Span<UInt8>, _ table: HPACK.Decoder.TableState) {
        byteCount = block.count
        for index in block.indices { sum &+= UInt32(block[index]) &* UInt32(index + 1) }
        self.table = table
    }
}
