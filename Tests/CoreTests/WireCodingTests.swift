import Testing

@testable import SwiftletCore

@Suite("The wire's codings")
struct WireCodingTests {
    @Test(
        "write a time-out in at most eight digits, rounded up",
        arguments: [
            (Duration.nanoseconds(1), "1n"), (.zero, "1n"), (.seconds(-1), "1n"),
            (.nanoseconds(99_999_999), "99999999n"), (.nanoseconds(100_000_000), "100000u"),
            (.nanoseconds(100_000_001), "100001u"), (.seconds(100), "100000m"),
            (.seconds(1), "1000000u"), (.seconds(100_000_000), "1666667M"),
        ])
    func timeout(duration: Duration, text: String) {
        #expect(GRPCTimeout.encode(duration) == text)
    }

    @Test("remove the prefix of a message if messages have none", arguments: [3, 40_000])
    func withoutPrefix(byteCount: Int) {
        let message = (0..<byteCount).map { UInt8(truncatingIfNeeded: $0) }
        let framed = EncodedMessage(prefixing: message)
        #expect(framed.bytes.count == byteCount + 5)
        #expect(framed.withoutPrefix().bytes == message)
    }

    @Test(
        "read escapes in either case, and keep text that is not an escape",
        arguments: [
            ("%c3%a9", "\u{e9}"), ("%4A%4a", "JJ"), ("100%", "100%"), ("%4", "%4"),
            ("%2", "%2"), ("%%41", "%A"), ("%g1%1g", "%g1%1g"), ("%ff", "\u{fffd}"),
            ("50% of %zz %4", "50% of %zz %4"),
        ])
    func unescapes(encoded: String, text: String) {
        #expect(PercentCoding.decode(encoded) == text)
    }

    @Test("write base64 without padding, and read it either way", arguments: 0..<40)
    func base64(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 97) }
        let text = Base64.encode(bytes)
        #expect(!text.contains("="))
        #expect(Base64.decode(text.utf8) == bytes)
        let padding = String(repeating: "=", count: (4 - text.utf8.count % 4) % 4)
        #expect(Base64.decode((text + padding).utf8) == bytes)
    }

    @Test(
        "refuse text that is not base64",
        arguments: [
            "a", "ab=c", "a===", "a b", "ä", "AQ=", "AQI==", "AQID=", "AQID====", "=", "====",
        ])
    func badBase64(text: String) {
        #expect(Base64.decode(text.utf8) == nil)
    }

    @Test("compress and decompress", arguments: [CompressionAlgorithm.gzip, .deflate])
    func compression(algorithm: CompressionAlgorithm) throws {
        try #require(ZlibLibrary.shared != nil, "zlib is not on this machine")
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        let compressed = try Compressor.compress(bytes.span, algorithm, reservingPrefix: 0)
        #expect(compressed.count < 10_000)
        #expect(
            try Decompressor.decompress(compressed, algorithm, maxByteCount: 1 << 20) == bytes)
        #expect(try Decompressor.decompress(compressed, algorithm, maxByteCount: .max) == bytes)
        #expect(throws: RPCError.self) {
            try Decompressor.decompress(compressed, algorithm, maxByteCount: (1 << 20) - 1)
        }
        #expect(throws: RPCError.self) {
            try Decompressor.decompress(
                Array(compressed.dropLast(9)), algorithm, maxByteCount: nil)
        }
    }

    @Test(
        "assemble messages, however they are split, also in memory of a request",
        arguments: 0...23, [0, 30, 300, 3_000])
    func assembly(cut: Int, sentByteCount: Int) throws {
        let wire: [UInt8] =
            [0, 0, 0, 0, 3, 1, 2, 3] + [0, 0, 0, 0, 0] + [1, 0, 0, 0, 5, 9, 8, 7, 6, 5]
        var assembler = MessageAssembler(maxByteCount: 5)
        assembler.reuse(.whole([UInt8](repeating: 0xff, count: sentByteCount)))
        #expect(assembler.pendingByteCount == 0 && !assembler.isInsideMessage)
        var messages: [AssembledMessage] = []
        for part in [Array(wire[..<cut]), Array(wire[cut...])] {
            var offset = 0
            while let message = try assembler.next(in: part.span, at: &offset) {
                messages.append(message)
            }
        }
        #expect(!assembler.isInsideMessage)
        #expect(
            messages == [
                .init(bytes: [1, 2, 3], isCompressed: false),
                .init(bytes: [], isCompressed: false),
                .init(bytes: [9, 8, 7, 6, 5], isCompressed: true),
            ])
    }

    @Test(
        "are put into memory of a request, if little of it is left over, however they are split",
        arguments: [(30, true), (300, false), (3_000, false)], 0...8)
    func reuse(_ memory: (size: Int, isReused: Bool), cut: Int) throws {
        let wire: [UInt8] = [0, 0, 0, 0, 3, 1, 2, 3]
        var assembler = MessageAssembler(maxByteCount: nil)
        var sent: [UInt8] = [7]
        sent.reserveCapacity(memory.size)
        let capacity = sent.capacity
        assembler.reuse(.whole(sent))
        sent = []
        var messages: [[UInt8]] = []
        for part in [Array(wire[..<cut]), wire[cut...] + wire] {
            var offset = 0
            while let message = try assembler.next(in: part.span, at: &offset) {
                messages.append(message.bytes)
            }
        }
        #expect(messages == [[1, 2, 3], [1, 2, 3]])
        // The second message has memory of its own.
        #expect(messages.map { $0.capacity == capacity } == [memory.isReused, false])
        #expect(messages[0].capacity <= max(capacity, 3 + 64) && messages[0].capacity < 300)
    }

    @Test("leave a request as it is that something else still has")
    func reuseOfShared() throws {
        let sent: [UInt8] = [0, 0, 0, 0, 3, 7, 8, 9]
        var assembler = MessageAssembler(maxByteCount: nil)
        assembler.reuse(.whole(sent))
        var offset = 0
        let wire: [UInt8] = [0, 0, 0, 0, 3, 1, 2, 3]
        let message = try assembler.next(in: wire.span, at: &offset)
        #expect(message?.bytes == [1, 2, 3])
        #expect(sent == [0, 0, 0, 0, 3, 7, 8, 9])
    }

    @Test("give access to the body of a message, and continue with bytes that were appended")
    func lending() throws {
        for count in 0...4 {
            var assembler = MessageAssembler(maxByteCount: nil)
            var offset = 0
            let start: [UInt8] = [0, 0, 0, 0, 6, 1, 2]
            #expect(try assembler.next(in: start.span, at: &offset) == nil)
            let tooMuch = assembler.lend(missing: 5, arrived: 0)
            #expect(tooMuch == nil, "only 4 are missing")
            let loan = assembler.lend(missing: 4, arrived: 4)
            var body = try #require(loan).bytes
            #expect(body == [1, 2] && loan?.missing == 4)
            #expect(assembler.pendingByteCount == 2, "lent bytes are counted")
            body += [3, 4, 5, 6].prefix(count)
            let whole = assembler.takeBack(&body)
            #expect(whole?.bytes == (count == 4 ? [1, 2, 3, 4, 5, 6] : nil))
            #expect(assembler.isInsideMessage == (count < 4))
            #expect(assembler.pendingByteCount == (count < 4 ? 2 + count : 0))
            guard count < 4 else { continue }
            offset = 0
            let rest = Array<UInt8>([3, 4, 5, 6].suffix(4 - count))
            let last = try assembler.next(in: rest.span, at: &offset)
            #expect(last?.bytes == [1, 2, 3, 4, 5, 6])
        }
    }

    @Test("refuse a message by its prefix")
    func oversized() {
        var assembler = MessageAssembler(maxByteCount: 4 << 20)
        #expect(throws: RPCError.self) {
            var offset = 0
            let prefix: [UInt8] = [0, 0xff, 0xff, 0xff, 0xff]
            _ = try assembler.next(in: prefix.span, at: &offset)
        }
    }
}
