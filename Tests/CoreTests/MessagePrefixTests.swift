import Testing

@testable import SwiftletCore

@Suite("A message that is made ready to be sent")
struct MessagePrefixTests {
    private static func framed(
        _ message: [UInt8], _ compression: CompressionAlgorithm, maxByteCount: Int? = nil
    ) throws -> [UInt8] {
        try MessagePrefix.frame(
            EncodedMessage(prefixing: message), compression, maxByteCount: maxByteCount
        ).bytes
    }

    @Test(
        "is compressed when that makes it smaller",
        arguments: [CompressionAlgorithm.gzip, .deflate])
    func compressed(algorithm: CompressionAlgorithm) throws {
        try #require(ZlibLibrary.shared != nil, "zlib is not on this machine")
        let message = [UInt8](repeating: 7, count: 10_000)
        let sent = try Self.framed(message, algorithm)
        #expect(sent.count < 1_000)
        #expect(Array(sent.prefix(3)) == [1, 0, 0])
        #expect(Int(sent[3]) << 8 | Int(sent[4]) == sent.count - 5)
        let body = Array(sent.dropFirst(5))
        #expect(
            try Decompressor.decompress(body, algorithm, maxByteCount: message.count) == message)
    }

    @Test(
        "is sent as it is when compression does not make it smaller",
        arguments: [CompressionAlgorithm.gzip, .deflate, .identity],
        [[], [7], [1, 2, 3, 4, 5, 6, 7, 8]] as [[UInt8]])
    func uncompressed(algorithm: CompressionAlgorithm, message: [UInt8]) throws {
        try #require(ZlibLibrary.shared != nil, "zlib is not on this machine")
        #expect(
            try Self.framed(message, algorithm) == [0, 0, 0, 0, UInt8(message.count)] + message)
    }

    @Test("is sent as it is when its compressed form has the same size", arguments: 1...64)
    func sameSize(count: Int) throws {
        try #require(ZlibLibrary.shared != nil, "zlib is not on this machine")
        let message = [UInt8](repeating: 7, count: count)
        let compressed = try Compressor.compress(message.span, .deflate, reservingPrefix: 0)
        let sent = try Self.framed(message, .deflate)
        #expect(sent[0] == (compressed.count < count ? 1 : 0))
        #expect(sent.count == 5 + min(compressed.count, count))
    }

    @Test("is refused above the limit, which its prefix does not count against")
    func limit() throws {
        let message: [UInt8] = [1, 2, 3, 4, 5, 6]
        #expect(try Self.framed(message, .identity, maxByteCount: 6).count == 11)
        let error = #expect(throws: RPCError.self) {
            try Self.framed(message, .identity, maxByteCount: 5)
        }
        #expect(error?.code == .resourceExhausted)
        #expect(error?.mayHaveBeenExecuted == false)
    }

    @Test("has a prefix up to 2³² − 1 bytes, and is refused beyond")
    func longest() throws {
        // The parts share one array, so that the message needs little memory.
        let part = [UInt8](repeating: 0, count: 1 << 20)
        let most = Int(UInt32.max) + MessagePrefix.byteCount
        var parts = [[UInt8]](repeating: part, count: most / part.count)
        parts.append([UInt8](repeating: 0, count: most % part.count))
        let longest = EncodedMessage.parts(parts)
        #expect(longest.byteCount == most)
        let sent = try MessagePrefix.frame(longest, .identity, maxByteCount: nil)
        #expect(sent.byteCount == most)
        let error = #expect(throws: RPCError.self) {
            _ = try MessagePrefix.frame(.parts(parts + [[0]]), .identity, maxByteCount: nil)
        }
        #expect(error?.code == .resourceExhausted)
    }

    @Test(
        "writes its length in big-endian order",
        arguments: [
            (0, [0, 0, 0, 0, 0]), (0x0102_0304, [0, 1, 2, 3, 4]),
            (0xfffe_fdfc, [0, 0xff, 0xfe, 0xfd, 0xfc]),
        ] as [(Int, [UInt8])])
    func length(byteCount: Int, prefix: [UInt8]) {
        var bytes = [UInt8](repeating: 9, count: 5)
        bytes.writePrefix(isCompressed: false, byteCount)
        #expect(bytes == prefix)
        bytes.writePrefix(isCompressed: true, byteCount)
        #expect(bytes[0] == 1)
    }
}
