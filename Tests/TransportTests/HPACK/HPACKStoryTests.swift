import Foundation
import Testing

@testable import SwiftletTransport

/// One of the public stories: blocks that share a decoder.
private struct Story: Decodable {
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

    static func read(_ file: String) throws -> Story {
        let folder = try #require(Self.folder)
        let data = try Data(contentsOf: folder.appendingPathComponent(file))
        return try JSONDecoder().decode(Story.self, from: data)
    }
}

extension Story.Block {
    var pairs: [Pair] { headers.flatMap { $0.map { Pair($0.key, $0.value) } } }
}

@Suite(
    "The public stories of header blocks",
    .enabled(if: !Story.files.isEmpty, "skipped: there is no folder shared/vectors/hpack"))
struct HPACKStoryTests {
    @Test("decode to their lists", arguments: Story.files)
    func decode(file: String) throws {
        var decoder = HPACK.Decoder()
        for block in try Story.read(file).cases {
            if let byteCount = block.header_table_size { decoder.setMaxTableByteCount(byteCount) }

            #expect(try decoder.list(octets(hex: block.wire)).pairs == block.pairs)
        }
    }

    @Test(
        "come back whole from our encoder, whatever the size of its table",
        arguments: Story.files, [0, 100, 4096])
    func roundTrip(file: String, maxTableByteCount: Int) throws {
        var encoder = HPACK.Encoder(maxTableByteCount: maxTableByteCount)
        var decoder = HPACK.Decoder()
        for block in try Story.read(file).cases {
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
