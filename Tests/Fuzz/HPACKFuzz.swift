// fuzz-modules: Transport

// A libFuzzer target for header compression; `Tests/Fuzz/run` builds it.

@testable import SwiftletTransport

/// Passes one input to the decoder, and the decoded lists to the encoder and back.
///
/// libFuzzer keeps `bytes` alive for this call, and `count` bounds them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHPACK(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    guard input.count >= 2 else { return 0 }
    HPACKFuzz.run(input)
    return 0
}

enum HPACKFuzz {
    private static let tableByteCounts = [4096, 0, 64, 256, 8192, 100, 1, 65_536]

    /// The first byte determines sizes and limits, the second one the ends of blocks.
    static func run(_ input: [UInt8]) {
        let limit = tableByteCounts[Int(input[0] & 7)]
        let maxListByteCount = input[0] & 8 == 0 ? 16_384 : 200
        var decoder = HPACK.Decoder(maxTableByteCount: limit)
        var encoder = HPACK.Encoder(maxTableByteCount: tableByteCounts[Int(input[0] >> 4 & 7)])
        var mirror = HPACK.Decoder()
        var list = HeaderList()

        let blocks = input.dropFirst(2).split(
            separator: input[1], omittingEmptySubsequences: false)
        for (number, block) in blocks.enumerated() {
            if number % 5 == 4 {
                let byteCount = tableByteCounts[(Int(input[0]) + number) & 7]
                decoder.setMaxTableByteCount(byteCount)
                encoder.setPeerMaxTableByteCount(byteCount)
                mirror.setMaxTableByteCount(byteCount)
            }
            do throws(HPACK.Malformation) {
                let outcome = try decoder.decode(
                    Array(block).span, into: &list, maxListByteCount: maxListByteCount)
                precondition(list.byteCount <= maxListByteCount)
                precondition(outcome == .complete || list.isEmpty && list.bytes.isEmpty)
            } catch {
                return
            }
            for kind in [HeaderRules.Kind.request, .response, .trailers] {
                _ = try? HeaderRules.check(list, as: kind)
            }
            roundTrip(list, number, &encoder, &mirror)
        }
    }

    private static func roundTrip(
        _ list: HeaderList, _ number: Int, _ encoder: inout HPACK.Encoder,
        _ mirror: inout HPACK.Decoder
    ) {
        var block: [UInt8] = []
        let prepared = PreparedHeaders(list)
        encoder.encode(prepared, into: &block)
        encoder.encode(list, into: &block)
        if number.isMultiple(of: 2) { encoder.encode(prepared, into: &block) }
        var back = HeaderList()
        do throws(HPACK.Malformation) {
            let outcome = try mirror.decode(block.span, into: &back, maxListByteCount: 1 << 20)
            precondition(outcome == .complete)
        } catch {
            preconditionFailure("our own block is broken: \(error)")
        }
        let times = number.isMultiple(of: 2) ? 3 : 2
        precondition(back.bytes == Array(repeatElement(list.bytes, count: times).joined()))
        precondition(back.fields.count == times * list.fields.count)
        for (index, field) in back.fields.enumerated() {
            let original = list.fields[index % list.fields.count]
            precondition(field.nameByteCount == original.nameByteCount)
            precondition(original.indexing != .never || field.indexing == .never)
        }
    }
}
