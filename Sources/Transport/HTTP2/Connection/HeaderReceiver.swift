/// Receives header blocks: assembles their fragments, decodes them, and recognizes blocks that repeat.
struct HeaderReceiver: ~Copyable {
    private var assembler: HeaderBlockAssembler
    private var decoder = HPACK.Decoder()
    private var decoded = HeaderList()
    private var repeated = RepeatedBlocks()
    private let listLimit: Int

    init(_ limits: Limits) {
        assembler = HeaderBlockAssembler(
            maxByteCount: limits.headerBlockByteCount,
            maxEmptyCount: limits.emptyContinuationCount)
        listLimit = limits.headerListByteCount
    }

    /// The result of reading a block.
    struct Reading {
        /// The block is the same as an earlier one, which was valid.
        let isRepeated: Bool
        /// The list is larger than the limit, so it was not kept.
        let isTooLarge: Bool
        /// The decoder's table before the block.
        fileprivate let table: HPACK.Decoder.TableState?
    }
}

// MARK: - The last list

extension HeaderReceiver {
    /// The fields of the last block.
    var headers: HeaderList { repeated.headers ?? decoded }

    /// Identifies the fields of ``headers``: lists with the same identifier have equal fields. Nil if the
    /// list was not recognized as a repetition.
    var headersID: UInt64? { repeated.current?.id }

    /// The kind of the earlier, valid block that the last block repeats. Nil if the last block was decoded.
    var repeatedKind: HeaderRules.Kind? { repeated.current?.kind }
}

// MARK: - Frames

extension HeaderReceiver {
    /// Whether no block is incomplete.
    var isIdle: Bool { assembler.isIdle }

    /// Checks that the frame may arrive now. No other frame may arrive inside a header block.
    func admit(_ header: FrameHeader) throws(HTTP2Error) { try assembler.admit(header) }

    mutating func begin(
        _ opening: HeaderBlockAssembler.Opening, _ fragment: Span<UInt8>
    ) throws(HTTP2Error) {
        try assembler.begin(opening, fragment)
    }

    /// Adds a CONTINUATION. Returns the block when it is complete.
    mutating func `continue`(
        _ frame: ContinuationFrame, _ fragment: Span<UInt8>
    ) throws(HTTP2Error) -> (opening: HeaderBlockAssembler.Opening, block: [UInt8])? {
        guard let opening = try assembler.continue(frame, fragment) else { return nil }
        return (opening, assembler.fragments)
    }
}

// MARK: - Blocks

extension HeaderReceiver {
    /// Decodes a complete block, unless it repeats an earlier one and the table is the same.
    mutating func read(_ block: Span<UInt8>) throws(HTTP2Error) -> Reading {
        let table = decoder.tableState
        if repeated.find(block, table) {
            return Reading(isRepeated: true, isTooLarge: false, table: table)
        }
        do throws(HPACK.Malformation) {
            let outcome = try decoder.decode(block, into: &decoded, maxListByteCount: listLimit)
            return Reading(isRepeated: false, isTooLarge: outcome == .tooLarge, table: table)
        } catch {
            let code: ErrorCode =
                error == .excessiveTableChanges ? .enhanceYourCalm : .compressionError
            throw .connection(code, "header block: \(error)")
        }
    }

    /// Notes that the last block was valid. If it did not change the table, it is not decoded again when it
    /// repeats.
    mutating func noteValid(_ block: Span<UInt8>, _ reading: Reading, as kind: HeaderRules.Kind) {
        guard let table = reading.table, table == decoder.tableState,
            !HPACK.Decoder.changesTableSize(block)
        else { return }
        repeated.note(block, table, decoded, as: kind)
    }

    /// Applies our SETTINGS_HEADER_TABLE_SIZE, which the peer has acknowledged.
    mutating func setTableByteCount(_ byteCount: Int) {
        decoder.setMaxTableByteCount(byteCount)
    }

    /// The size of the largest list that is kept, in bytes.
    var listByteLimit: Int { listLimit }
}
