import Testing

@testable import SwiftletTransport

@Suite("An HPACK decoder")
struct HPACKDecoderTests {
    @Test(
        "refuses a broken block",
        arguments: [
            ("index 0", "80", .invalidIndex),
            ("an index behind the table", "be", .invalidIndex),
            ("a name behind the table", "7e 0161", .invalidIndex),
            ("an index cut short", "ff", .truncated),
            ("an index of five bytes", "ff 80 80 80 80 00", .integerTooLarge),
            ("an index beyond 64 bits", "ff ff ff ff ff ff ff ff ff ff ff 7f", .integerTooLarge),
            ("a name cut short", "40 03 6161", .truncated),
            ("a value missing", "40 01 61", .truncated),
            ("a value cut short", "40 01 61 02 62", .truncated),
            ("a length beyond the block", "40 01 61 7f ff ff ff 7f", .truncated),
            ("padding of eight bits", "40 01 61 82 1f ff", .invalidHuffmanCode),
            ("padding of zeros", "40 01 61 81 18", .invalidHuffmanCode),
            ("the end of the string", "40 01 61 84 ff ff ff ff", .invalidHuffmanCode),
            (
                "the end of the string, early", "40 01 61 89 ff ff ff fc 63 63 63 63 63",
                .invalidHuffmanCode
            ),
            ("a size above the limit", "3f e2 1f", .tableSizeAboveLimit),
            ("a size inside the block", "82 20", .tableSizeUpdateInsideBlock),
            ("three sizes", "20 20 20", .tooManyTableSizeUpdates),
            ("a size cut short", "3f e1", .truncated),
        ] as [(String, String, HPACK.Malformation)])
    func malformed(what: String, hex: String, malformation: HPACK.Malformation) {
        var decoder = HPACK.Decoder()
        #expect(throws: malformation, "\(what)") { try decoder.list(bytes(hex: hex)) }
    }

    @Test("knows every index of the static table, before and after a field was inserted")
    func staticIndexes() throws {
        var decoder = HPACK.Decoder()
        let table = HPACK.StaticTable.list
        for _ in 0..<2 {
            for index in 1...HPACK.StaticTable.count {
                let list = try decoder.list([0x80 | UInt8(index)])
                let field = table.fields[index]
                #expect(list.pairs == [Pair(table.name(of: field), table.value(of: field))])
            }
            let inserted = try decoder.list(bytes(hex: "40 01 61 01 62"))
            #expect(inserted.pairs == [Pair("a", "b")])
        }
    }

    @Test("refuses a block that is cut off inside a string")
    func truncation() throws {
        let block = bytes(hex: HPACKExampleTests.huffmanResponses[0])
        for count in 1..<block.count {
            var decoder = HPACK.Decoder(maxTableByteCount: 256)
            let whole = try? decoder.list(Array(block.prefix(count)))
            // A prefix is a valid block only if it ends between two fields.
            #expect(whole == nil || [4, 11, 35].contains(count), "\(count)")
        }
    }

    @Test("keeps the mark of fields that must never be indexed")
    func neverIndexed() throws {
        var decoder = HPACK.Decoder()
        let list = try decoder.list(bytes(hex: "1f 08 01 61"))
        #expect(list.pairs == [Pair("authorization", "a")])
        #expect(list.fields.map(\.indexing) == [.never])
        #expect(throws: HPACK.Malformation.invalidIndex) { try decoder.list([0xbe]) }
    }

    @Test("requires a size update after its lower limit took effect (RFC 7541 §4.2)")
    func lowerLimit() throws {
        func makeDecoder() -> HPACK.Decoder {
            var decoder = HPACK.Decoder()
            decoder.setMaxTableByteCount(100)
            decoder.setMaxTableByteCount(200)
            return decoder
        }
        #expect(throws: HPACK.Malformation.missingTableSizeUpdate) {
            var decoder = makeDecoder()
            _ = try decoder.list([0x82])
        }
        #expect(throws: HPACK.Malformation.tableSizeAboveLimit) {
            var decoder = makeDecoder()
            _ = try decoder.list(bytes(hex: "3f a9 01 82"))
        }
        var decoder = makeDecoder()
        // Two size updates: to 100, and then to 200.
        #expect(try decoder.list(bytes(hex: "3f 45 3f a9 01 82")).fields.count == 1)
        #expect(try decoder.list([0x82]).fields.count == 1)
    }

    @Test("allows a larger table when its limit rises")
    func higherLimit() throws {
        var decoder = HPACK.Decoder()
        decoder.setMaxTableByteCount(8192)
        #expect(try decoder.list([0x82]).fields.count == 1)
        #expect(try decoder.list(bytes(hex: "3f e1 3f 82")).fields.count == 1)
        #expect(throws: HPACK.Malformation.tableSizeAboveLimit) {
            try decoder.list(bytes(hex: "3f e2 3f"))
        }
    }

    @Test("empties its table for a field larger than it (RFC 7541 §4.4)")
    func largerThanTable() throws {
        var decoder = HPACK.Decoder(maxTableByteCount: 64)
        _ = try decoder.list(bytes(hex: "40 01 61 01 62"))
        #expect(try decoder.list([0xbe]).pairs == [Pair("a", "b")])
        let value = String(repeating: "x", count: 40)
        let large = try decoder.list([0x40, 1, 0x61, 40] + value.utf8)
        #expect(large.pairs == [Pair("a", value)])
        #expect(throws: HPACK.Malformation.invalidIndex) { try decoder.list([0xbe]) }
    }
}

@Suite("A header list over its limit")
struct HPACKLimitTests {
    @Test("is dropped, but the table is updated")
    func staysInStep() throws {
        var decoder = HPACK.Decoder()
        var list = HeaderList()
        let value = [UInt8](repeating: 0x78, count: 100)
        let block = [0x40, 1, 0x61, 100] + value + [0x40, 1, 0x62, 1, 0x63]
        let outcome = try decoder.decode(block.span, into: &list, maxListByteCount: 100)
        #expect(outcome == .tooLarge)
        #expect(list.isEmpty && list.bytes.isEmpty)
        let next = try decoder.list([0xbe, 0xbf])
        #expect(next.pairs == [Pair("b", "c"), Pair("a", String(repeating: "x", count: 100))])
    }

    @Test(
        "is detected exactly: its size is names, values and 32 per field", arguments: [33, 34, 35])
    func exact(limit: Int) throws {
        for block in ["40 01 61 01 62", "00 01 61 01 62", "00 81 1f 81 8f"] {
            var decoder = HPACK.Decoder()
            var list = HeaderList()
            let outcome = try decoder.decode(
                bytes(hex: block).span, into: &list, maxListByteCount: limit)
            #expect(outcome == (limit >= 34 ? .complete : .tooLarge))
            #expect(list.fields.count == (limit >= 34 ? 1 : 0))
        }
    }

    @Test("needs no memory: a block that decodes to 250 MB is dropped")
    func bomb() throws {
        var decoder = HPACK.Decoder()
        var list = HeaderList()
        let value = [UInt8](repeating: 0x78, count: 3900)
        var block: [UInt8] = [0x40, 1, 0x61]
        HPACK.append(integer: value.count, prefixBits: 7, pattern: 0, to: &block)
        block += value + [UInt8](repeating: 0xbe, count: 64_000)
        #expect(
            try decoder.decode(block.span, into: &list, maxListByteCount: 16_384) == .tooLarge)
        #expect(list.bytes.capacity < 64_000)
        #expect(list.isEmpty)
    }

    @Test("ends the connection when its short fields keep replacing a table's large entry")
    func tableChanges() throws {
        var decoder = HPACK.Decoder()
        var list = HeaderList()
        let name = [UInt8](repeating: 0x78, count: 4_030)
        var first: [UInt8] = [0x40]
        HPACK.append(integer: name.count, prefixBits: 7, pattern: 0, to: &first)
        first += name + [0]
        // Each field takes the name of the newest entry, and evicts that entry.
        let again: [UInt8] = [0x7e, 0]
        func block(with count: Int) -> [UInt8] {
            first + [[UInt8]](repeating: again, count: count).joined()
        }
        let fewest = 16_384 / (name.count + 32) + Limits.discardedFieldByteCount / (name.count + 32)
        #expect(
            try decoder.decode(block(with: fewest).span, into: &list, maxListByteCount: 16_384)
                == .tooLarge)
        #expect(throws: HPACK.Malformation.excessiveTableChanges) {
            try decoder.decode(block(with: 70_000).span, into: &list, maxListByteCount: 16_384)
        }
    }

    @Test("is refused by the length of a string, before the string is copied")
    func hugeStrings() throws {
        let plain = [UInt8](repeating: 0x78, count: 1 << 20)
        var huffman: [UInt8] = []
        HPACK.HuffmanEncoder.shared.append(string: plain.span, to: &huffman)
        var literal: [UInt8] = []
        HPACK.append(integer: plain.count, prefixBits: 7, pattern: 0, to: &literal)
        for string in [huffman, literal + plain] {
            for pattern: UInt8 in [0x00, 0x10, 0x40] {
                var decoder = HPACK.Decoder()
                var list = HeaderList()
                let block = [pattern, 1, 0x61] + string + [0x82]
                #expect(
                    try decoder.decode(block.span, into: &list, maxListByteCount: 16_384)
                        == .tooLarge)
                #expect(list.bytes.capacity < 64_000)
            }
        }
    }

    @Test("still reports an invalid Huffman code")
    func brokenWhileTooLarge() {
        var decoder = HPACK.Decoder()
        var list = HeaderList()
        #expect(throws: HPACK.Malformation.invalidHuffmanCode) {
            try decoder.decode(
                bytes(hex: "00 01 61 82 1f ff").span, into: &list, maxListByteCount: 1)
        }
    }
}
