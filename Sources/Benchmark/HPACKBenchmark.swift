import SwiftletTransport

/// Measures header compression alone, in the steady state of a connection and on typical requests.
enum HPACKBenchmark {
    @Sendable static func run(into report: inout Report) {
        decodeSteady(&report)
        encodeSteady(&report)
        checkRules(&report)
        huffman(&report)
        HPACKExchange.run(into: &report)
    }

    /// The headers of a gRPC response.
    private static let response = [
        (":status", "200"), ("content-type", "application/grpc"), ("grpc-accept-encoding", "gzip"),
    ]

    private static let request = [
        (":method", "POST"), (":scheme", "http"), (":path", "/helloworld.Greeter/SayHello"),
        (":authority", "localhost:50051"), ("te", "trailers"),
        ("content-type", "application/grpc"), ("user-agent", "grpc-swift-swiftlet/0.1.0"),
    ]

    private static func decodeSteady(_ report: inout Report) {
        var encoder = HPACK.Encoder()
        var decoder = HPACK.Decoder()
        var list = HeaderList()
        let prepared = PreparedHeaders(HeaderList(response))
        var block: [UInt8] = []
        for _ in 0..<3 {
            block = []
            encoder.encode(prepared, into: &block)
            decode(block, with: &decoder, into: &list)
        }
        let nanoseconds = medianNanoseconds {
            decode(block, with: &decoder, into: &list)
        }
        report.add("hpack-decode-steady", nanoseconds, "ns", note: "\(block.count) bytes")
    }

    private static func encodeSteady(_ report: inout Report) {
        var encoder = HPACK.Encoder()
        let prepared = PreparedHeaders(HeaderList(request))
        var perCall = HeaderList()
        perCall.append("grpc-timeout", "999987u", .unindexed)
        var output: [UInt8] = []
        output.reserveCapacity(256)
        let alone = medianNanoseconds {
            output.removeAll(keepingCapacity: true)
            encoder.encode(prepared, into: &output)
        }
        report.add("hpack-encode-steady", alone, "ns", note: "\(output.count) bytes")
        let both = medianNanoseconds {
            output.removeAll(keepingCapacity: true)
            encoder.encode(prepared, into: &output)
            encoder.encode(perCall, into: &output)
        }
        report.add(
            "hpack-encode-with-timeout", both, "ns", note: "\(output.count) bytes")
    }

    private static func checkRules(_ report: inout Report) {
        var encoder = HPACK.Encoder()
        var decoder = HPACK.Decoder()
        var list = HeaderList()
        for _ in 0..<2 {
            var block: [UInt8] = []
            encoder.encode(PreparedHeaders(HeaderList(response)), into: &block)
            decode(block, with: &decoder, into: &list)
        }
        let received = list
        var status = 0
        let nanoseconds = medianNanoseconds {
            do throws(HeaderRules.Violation) {
                try HeaderRules.check(received, as: .response)
            } catch { giveUp("\(error)") }
            status &+= HeaderRules.status(of: received) ?? 0
        }
        blackHole(status)
        report.add("header-rules-response", nanoseconds, "ns")
    }

    private static func huffman(_ report: inout Report) {
        let text = "https://www.example.com/a/rather/long/path?with=query&and=12345678 "
        var plain: [UInt8] = []
        while plain.count < 4096 { plain.append(contentsOf: text.utf8) }
        var encoded: [UInt8] = []
        var output: [UInt8] = []
        output.reserveCapacity(16_384)
        let encoder = HPACK.HuffmanEncoder.shared
        encoder.append(string: ContiguousArray(plain).span, to: &encoded)
        let coded = Array(encoded.suffix(encoder.encodedByteCount(of: ContiguousArray(plain).span)))
        let nanoseconds = medianNanoseconds {
            output.removeAll(keepingCapacity: true)
            do throws(HPACK.Malformation) {
                blackHole(
                    try HPACK.HuffmanDecoder.shared.decode(
                        ContiguousArray(coded).span, appendingTo: &output))
            } catch { giveUp("\(error)") }
        }
        report.add(
            "huffman-decode", Double(coded.count) * 1000 / nanoseconds, "MB/s",
            note: "of code; \(Int(Double(plain.count) * 1000 / nanoseconds)) MB/s of text")
    }

    static func decode(
        _ block: [UInt8], with decoder: inout HPACK.Decoder, into list: inout HeaderList
    ) {
        do throws(HPACK.Malformation) {
            let outcome = try decoder.decode(
                ContiguousArray(block).span, into: &list, maxListByteCount: 16_384)
            if outcome != .complete { giveUp("a list is too large") }
        } catch { giveUp("\(error)") }
    }
}

extension HeaderList {
    init(_ pairs: [(String, String)]) {
        self.init()
        for (name, value) in pairs { append(name, value) }
    }
}
