import SwiftletTransport

/// Encodes and decodes 1,000 typical requests. Their headers are headers that repeat, headers that change
/// slowly, and headers that occur once.
enum HPACKExchange {
    static func run(into report: inout Report) {
        let requests = requests()
        var blockByteCount = 0
        let ours = medianNanoseconds {
            var encoder = HPACK.Encoder()
            var decoder = HPACK.Decoder()
            var list = HeaderList()
            var block: [UInt8] = []
            blockByteCount = 0
            for request in requests {
                block.removeAll(keepingCapacity: true)
                encoder.encode(request, into: &block)
                blockByteCount += block.count
                HPACKBenchmark.decode(block, with: &decoder, into: &list)
            }
        }
        guard let reference = NGHTTP2Exchange(requests) else {
            report.add("hpack-exchange", ours / 1000, "µs", note: "\(blockByteCount) bytes")
            return
        }
        let theirs = medianNanoseconds { reference.run() }
        report.add(
            "hpack-exchange", ours / 1000, "µs", ratio: ours / theirs,
            note: "\(blockByteCount) bytes; nghttp2 \(Int(theirs / 1000)) µs, "
                + "\(reference.blockByteCount) bytes")
    }

    private static func requests() -> [HeaderList] {
        var state: UInt64 = 7541
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(state >> 33) % bound
        }
        func hex(_ count: Int) -> String {
            String((0..<count).map { _ in Array("0123456789abcdef")[random(16)] })
        }
        let methods = [
            "/shop.v1.Orders/Get", "/shop.v1.Orders/List", "/shop.v1.Orders/Place",
            "/shop.v1.Stock/Watch", "/auth.v2.Sessions/Refresh", "/grpc.health.v1.Health/Check",
        ]
        let tenants = ["acme", "globex", "initech", "umbrella"]
        return (0..<1000).map { number in
            var list = HeaderList()
            list.append(":method", "POST")
            list.append(":scheme", "https")
            list.append(":path", methods[random(methods.count)])
            list.append(":authority", "api.example.com")
            list.append("te", "trailers")
            list.append("content-type", "application/grpc")
            list.append("user-agent", "grpc-swift-swiftlet/0.1.0")
            list.append("grpc-accept-encoding", "identity,deflate,gzip")
            list.append("grpc-timeout", "\(100_000 + random(900_000))u", .unindexed)
            list.append("x-tenant", tenants[random(tenants.count)])
            list.append("x-request-id", "\(hex(8))-\(hex(4))-\(hex(4))-\(hex(4))-\(hex(12))")
            list.append("traceparent", "00-\(hex(32))-\(hex(16))-01")
            if number % 4 == 0 { list.append("x-retry-attempt", "\(random(3))") }
            if number % 10 == 0 {
                list.append("authorization", "Bearer \(hex(64))", .never)
            }
            return list
        }
    }
}
