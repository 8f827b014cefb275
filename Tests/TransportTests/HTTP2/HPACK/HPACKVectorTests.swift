import Foundation
import Testing

@testable import SwiftletTransport

/// One of the public test cases: blocks that share a decoder.
private struct Vector: Decodable {
    struct Block: Decodable {
        var wire: String
        var headers: [[String: String]]
        var header_table_size: Int?
    }

    var cases: [Block]

    /// `shared/vectors/hpack`, in the package's folder or one above it.
    static let folder: URL? = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let candidate = folder.appendingPathComponent("shared/vectors/hpack")
            if FileManager.default.fileExists(atPath: candidate.path) { return candidate }
        }
        return nil
    }()

    static let files: [String] = {
        guard let folder, let all = FileManager.default.enumerator(atPath: folder.path) else {
            return []
        }
        return all.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }.sorted()
    }()

    static func read(_ file: String) throws -> Vector {
        let folder = try #require(Self.folder)
        let data = try Data(contentsOf: folder.appendingPathComponent(file))
        return try JSONDecoder().decode(Vector.self, from: data)
    }
}

extension Vector.Block {
    var pairs: [Pair] { headers.flatMap { $0.map { Pair($0.key, $0.value) } } }
}

@Suite(
    "The public test cases of header blocks",
    .enabled(if: !Vector.files.isEmpty, "skipped: there is no folder shared/vectors/hpack"))
struct HPACKVectorTests {
    @Test("decode to their lists", arguments: Vector.files)
    func decode(file: String) throws {
        var decoder = HPACK.Decoder()
        for block in try Vector.read(file).cases {
            if let byteCount = block.header_table_size { decoder.setMaxTableByteCount(byteCount) }

            #expect(try decoder.list(bytes(hex: block.wire)).pairs == block.pairs)
        }
    }

    @Test(
        "are the same after encoding and decoding, with any size of the table",
        arguments: Vector.files, [0, 100, 4096])
    func roundTrip(file: String, maxTableByteCount: Int) throws {
        var encoder = HPACK.Encoder(maxTableByteCount: maxTableByteCount)
        var decoder = HPACK.Decoder()
        for block in try Vector.read(file).cases {
            if let byteCount = block.header_table_size {
                encoder.setPeerMaxTableByteCount(byteCount)
                decoder.setMaxTableByteCount(byteCount)
            }
            var output: [UInt8] = []
            encoder.encode(HeaderList(block.pairs.map { ($0.name, $0.value) }), into: &output)
            #expect(try decoder.list(output).pairs == block.pairs)
        }
    }
}
