import Testing

@testable import SwiftletTransport

@Suite("An HPACK encoder")
struct HPACKEncoderTests {
    private func block(_ encoder: inout HPACK.Encoder, _ list: HeaderList) -> [UInt8] {
        var output: [UInt8] = []
        encoder.encode(list, into: &output)
        return output
    }

    @Test("refers to every name of the static table by its index")
    func staticNames() {
        let table = HPACK.StaticTable.list
        for field in table.fields.dropFirst() {
            let name = table.name(of: field)
            var encoder = HPACK.Encoder()
            let output = block(&encoder, HeaderList([(name, "?")], .unindexed))
            // Without an index the name follows a byte with the index zero (RFC 7541 §6.2.2).
            #expect(output[0] & 0x0f != 0, "\(name)")
        }
    }

    @Test("refers to the oldest field of its table by an index, and to its name")
    func oldestField() {
        var encoder = HPACK.Encoder()
        var first: [UInt8] = []
        encoder.encode(PreparedHeaders(HeaderList([("x-name", "1")])), into: &first)
        #expect(block(&encoder, HeaderList([("x-name", "1")])) == [0x80 | 62])
        let other = block(&encoder, HeaderList([("x-name", "2")], .unindexed))
        // The prefix of an index has four bits, all of them ones, and then the rest (RFC 7541 §6.2.2).
        #expect(other.prefix(2) == [0x0f, 62 - 15])
    }

    @Test("encodes a prepared request to one byte per field, from the second one on")
    func prepared() throws {
        var encoder = HPACK.Encoder()
        var decoder = HPACK.Decoder()
        let request: [(String, String)] = [
            (":method", "POST"), (":scheme", "http"), (":path", "/a.B/C"),
            (":authority", "localhost"), ("te", "trailers"), ("content-type", "application/grpc"),
        ]
        let prepared = PreparedHeaders(HeaderList(request))
        for turn in 0..<4 {
            var output: [UInt8] = []
            encoder.encode(prepared, into: &output)
            let perCall = HeaderList([("x-id", "\(turn)")], .unindexed)
            encoder.encode(perCall, into: &output)
            if turn > 0 { #expect(output.count == request.count + block(&encoder, perCall).count) }
            let list = try decoder.list(output)
            #expect(list.pairs == (request + [("x-id", "\(turn)")]).map { Pair($0, $1) })
        }
    }

    @Test("follows its indexes when other fields enter the table")
    func preparedShifts() throws {
        var encoder = HPACK.Encoder(maxTableByteCount: 256)
        var decoder = HPACK.Decoder(maxTableByteCount: 4096)
        let prepared = PreparedHeaders(HeaderList([("a", "1"), ("b", "2")]))
        for turn in 0..<100 {
            var output: [UInt8] = []
            encoder.encode(prepared, into: &output)
            encoder.encode(HeaderList([("x-\(turn / 3)", "y")]), into: &output)
            let list = try decoder.list(output)
            #expect(list.pairs == [Pair("a", "1"), Pair("b", "2"), Pair("x-\(turn / 3)", "y")])
        }
    }

    @Test(
        "never puts a secret into a table, even if it is not marked",
        arguments: ["authorization", "cookie", "proxy-authorization", "set-cookie"])
    func secrets(name: String) throws {
        var encoder = HPACK.Encoder()
        var decoder = HPACK.Decoder()
        let prepared = PreparedHeaders(HeaderList([(name, "secret")]))
        for _ in 0..<3 {
            var output: [UInt8] = []
            encoder.encode(prepared, into: &output)
            encoder.encode(HeaderList([(name, "secret")]), into: &output)
            encoder.encode(HeaderList([("x-key", "secret")], .never), into: &output)
            #expect(try decoder.list(output).fields.map(\.indexing) == [.never, .never, .never])
        }
    }

    @Test("does not evict fields for a field that changes each time")
    func onceOnly() throws {
        var encoder = HPACK.Encoder()
        let steady = HeaderList([("x-tenant", "acme")])
        _ = block(&encoder, steady)
        _ = block(&encoder, steady)
        for turn in 0..<1000 {
            _ = block(&encoder, HeaderList([("x-request-id", "request number \(turn)")]))
            _ = block(&encoder, HeaderList([("grpc-timeout", "\(turn)m")], .unindexed))
        }
        #expect(block(&encoder, steady).count == 1)
    }

    @Test("has all repeating fields in its table from the third time on")
    func manyFields() throws {
        for number in 0..<200 {
            var encoder = HPACK.Encoder()
            let list = HeaderList((0..<20).map { ("name-\($0)", "value-\(number)") })
            for _ in 0..<2 { _ = block(&encoder, list) }
            try #require(block(&encoder, list).count == 20)
        }
    }

    @Test(
        "finds every field and every name of its table while the table grows, behind evicted fields"
    )
    func growth() throws {
        var encoder = HPACK.Encoder()
        var decoder = HPACK.Decoder()
        func send(_ name: String, _ value: String) throws {
            var output: [UInt8] = []
            encoder.encode(PreparedHeaders(HeaderList([(name, value)])), into: &output)
            #expect(try decoder.list(output).pairs == [Pair(name, value)])
        }
        // So that the oldest field is not in the first place.
        for number in 0..<13 {
            try send("x-large-\(number)", String(repeating: "v", count: 1_000))
        }
        for count in 1...70 {
            try send("x-\(count)", "old")
            try send("x-\(count)", "\(count)")
            guard [9, 17, 18, 33, 60].contains(count) else { continue }
            // Two fields of each name fit, beside what is left of the large ones.
            for number in max(1, count - 40)...count {
                let field = block(&encoder, HeaderList([("x-\(number)", "\(number)")]))
                #expect(field[0] & 0x80 != 0, "field \(number) of \(count)")
                #expect(try decoder.list(field).pairs == [Pair("x-\(number)", "\(number)")])
                let name = block(&encoder, HeaderList([("x-\(number)", "?")], .unindexed))
                #expect(name[0] & 0x0f != 0, "name \(number) of \(count)")
                #expect(try decoder.list(name).pairs == [Pair("x-\(number)", "?")])
            }
        }
    }

    @Test("remembers the blocks of the latest prepared headers")
    func preparedBlocks() {
        var blocks = HPACK.PreparedBlocks()
        let prepared = (0..<20).map { _ in PreparedHeaders(HeaderList([])) }
        for (index, headers) in prepared.enumerated() {
            let bytes = [UInt8(index)]
            blocks.remember(headers, as: bytes.span)
        }
        var output: [UInt8] = []
        #expect(prepared.map { blocks.append($0, to: &output) } == (0..<20).map { $0 >= 4 })
        #expect(output == Array(4..<20))
        blocks.tableChanged()
        #expect(prepared.allSatisfy { !blocks.append($0, to: &output) })
    }

    @Test("announces the smallest size first when the peer's table shrank and grew")
    func shrankAndGrew() throws {
        var encoder = HPACK.Encoder()
        var decoder = HPACK.Decoder()
        for _ in 0..<2 { _ = try decoder.list(block(&encoder, HeaderList([("a", "b")]))) }
        for byteCount in [0, 4096] {
            encoder.setPeerMaxTableByteCount(byteCount)
            decoder.setMaxTableByteCount(byteCount)
        }
        let output = block(&encoder, HeaderList([(":method", "GET")]))
        #expect(output == bytes(hex: "20 3f e1 1f 82"))
        #expect(try decoder.list(output).fields.count == 1)
        #expect(block(&encoder, HeaderList([(":method", "GET")])) == [0x82])
    }

    @Test("uses no larger table than both sides allow")
    func ownLimit() {
        var small = HPACK.Encoder(maxTableByteCount: 100)
        #expect(block(&small, HeaderList([(":method", "GET")])) == bytes(hex: "3f 45 82"))
        small.setPeerMaxTableByteCount(65_536)
        #expect(block(&small, HeaderList([(":method", "GET")])) == [0x82])

        var large = HPACK.Encoder(maxTableByteCount: 65_536)
        #expect(block(&large, HeaderList([(":method", "GET")])) == [0x82])
        large.setPeerMaxTableByteCount(1 << 40)
        #expect(block(&large, HeaderList([(":method", "GET")])) == bytes(hex: "3f e1 ff 03 82"))
    }

    @Test("and its decoder agree on random lists, sizes and prepared headers", arguments: 0..<40)
    func identity(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var encoder = HPACK.Encoder(maxTableByteCount: Int.random(in: 0...6000, using: &random))
        var decoder = HPACK.Decoder()
        let prepared = (0..<20).map { _ in PreparedHeaders(randomList(&random)) }
        var list = HeaderList()
        for _ in 0..<200 {
            for _ in 0..<Int.random(in: 0...3, using: &random) where random.next() % 8 == 0 {
                let byteCount = Int.random(in: 0...5000, using: &random)
                encoder.setPeerMaxTableByteCount(byteCount)
                decoder.setMaxTableByteCount(byteCount)
            }
            var output: [UInt8] = []
            var expected: [Pair] = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                if Bool.random(using: &random) {
                    let headers = prepared[Int.random(in: 0..<20, using: &random)]
                    encoder.encode(headers, into: &output)
                    expected += headers.list.pairs
                } else {
                    let own = randomList(&random)
                    encoder.encode(own, into: &output)
                    expected += own.pairs
                }
            }
            #expect(
                try decoder.decode(output.span, into: &list, maxListByteCount: 1 << 20)
                    == .complete)
            #expect(list.pairs == expected)
        }
    }

    /// Few names and few short values, so that they repeat, and sometimes random bytes.
    private func randomList(_ random: inout SplitMix64) -> HeaderList {
        var list = HeaderList()
        for _ in 0..<Int.random(in: 0...6, using: &random) {
            let isNoise = random.next() % 8 == 0
            let count = Int.random(in: 0...(isNoise ? 300 : 2), using: &random)
            let alphabet: ClosedRange<UInt8> = isNoise ? 0x20...0x7e : 0x61...0x62
            let value = (0..<count).map { _ in UInt8.random(in: alphabet, using: &random) }
            let names = ["a", "bb", ":path", "cookie", "content-type", "x-long-name-of-a-header"]
            list.append(
                names[Int.random(in: 0..<names.count, using: &random)],
                String(decoding: value, as: UTF8.self),
                [.indexed, .indexed, .unindexed, .never][Int.random(in: 0..<4, using: &random)])
        }
        return list
    }
}

@Suite("The Huffman code")
struct HPACKHuffmanTests {
    @Test("decodes to the encoded bytes")
    func identity() throws {
        var random = SplitMix64(seed: 7541)
        var strings = (0...255).map { [UInt8($0)] }
        strings += (0..<500).map { number in
            let range: ClosedRange<UInt8> = number.isMultiple(of: 2) ? 0x20...0x7e : 0...255
            return (0..<number).map { _ in UInt8.random(in: range, using: &random) }
        }
        // Huffman-coded even if the result is longer, which the library's encoder does not do.
        for string in strings {
            let encoded = slowlyEncoded(string)
            var output: [UInt8] = [1, 2, 3]
            let decoder = HPACK.HuffmanDecoder.shared
            #expect(try decoder.decode(encoded.span, appendingTo: &output) == string.count)
            #expect(output == [1, 2, 3] + string)
            #expect(try decoder.decodedByteCount(of: encoded.span) == string.count)
            #expect(HPACK.HuffmanEncoder.shared.encodedByteCount(of: string.span) == encoded.count)
        }
    }

    @Test("gives the same result in the fast decoder and when counting, even if it is invalid")
    func noise() {
        var random = SplitMix64(seed: 1)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                random.next() % 4 == 0 ? 0xff : UInt8.random(in: 0...255, using: &random)
            }
            var output: [UInt8] = []
            let decoder = HPACK.HuffmanDecoder.shared
            let decoded = try? decoder.decode(bytes.span, appendingTo: &output)
            #expect(decoded == (try? decoder.decodedByteCount(of: bytes.span)))
            #expect(output.count == decoded ?? 0)
        }
    }

    /// A simple reference encoder that works bit by bit.
    private func slowlyEncoded(_ string: [UInt8]) -> [UInt8] {
        var bits = string.flatMap { byte in
            let word = HPACK.HuffmanCode.words[Int(byte)]
            return (0..<word.bitCount).reversed().map { UInt8(word.bits >> UInt32($0) & 1) }
        }
        while !bits.count.isMultiple(of: 8) { bits.append(1) }
        return stride(from: 0, to: bits.count, by: 8).map { start in
            bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
        }
    }
}
