import Swiftlet
import SwiftletServices

/// Measures the encoding and decoding of messages.
enum MessagesSet {
    static func run(_ report: inout Report) {
        let request = GRPC.Testing.SimpleRequest.with {
            $0.responseSize = 1024
            $0.payload = .init(body: [UInt8](repeating: 0x2a, count: 1024))
        }
        measure("1k", request, &report)
        measure("string", Tiny.with { $0.name = "world" }, &report)
        measure("rich", Nested.sample, &report)
    }

    @inline(__always)
    private static func measure<M: Message>(_ name: String, _ message: M, _ report: inout Report) {
        let bytes = message.encoded()
        guard (try? M(decoding: bytes)) == message else {
            giveUp("\(name) does not decode to itself")
        }
        add("decode-\(name)", bytes.count, &report) {
            do throws(WireError) { try decode(M.self, bytes) } catch { giveUp("\(error)") }
        }
        add("encode-\(name)", bytes.count, &report) { encode(message) }
        var kept: [UInt8] = []
        add("append-\(name)", bytes.count, &report) { append(message, to: &kept) }
        var list: [UInt8] = []
        add("list-\(name)", bytes.count, &report) { appendMany(message, to: &list) }
        var buffer = EncodingBuffer()
        add("buffer-\(name)", bytes.count, &report) { fill(&buffer, message) }
        blackHole(buffer.count)
        blackHole(kept)
        blackHole(list)
    }

    // The loops are in separate functions: a closure copies the message that it captures each time it is
    // called.

    private static let turns = 64

    @inline(never)
    private static func decode<M: Message>(_ type: M.Type, _ bytes: [UInt8]) throws(WireError) {
        for _ in 0..<turns { blackHole(try M(decoding: bytes)) }
    }

    @inline(never)
    private static func encode<M: Message>(_ message: M) {
        for _ in 0..<turns { blackHole(message.encoded()) }
    }

    @inline(never)
    private static func append<M: Message>(_ message: M, to kept: inout [UInt8]) {
        for _ in 0..<turns {
            kept.removeAll(keepingCapacity: true)
            message.encode(appendingTo: &kept)
        }
    }

    @inline(never)
    private static func fill<M: Message>(_ buffer: inout EncodingBuffer, _ message: M) {
        for _ in 0..<turns {
            buffer.encode(message)
            blackHole(buffer.count)
        }
    }

    /// Empties the array once for 16 messages, because emptying takes as long as a short message.
    @inline(never)
    private static func appendMany<M: Message>(_ message: M, to list: inout [UInt8]) {
        for _ in 0..<turns / 16 {
            list.removeAll(keepingCapacity: true)
            for _ in 0..<16 { message.encode(appendingTo: &list) }
        }
    }

    private static func add(
        _ name: String, _ byteCount: Int, _ report: inout Report, _ body: () -> Void
    ) {
        let nanoseconds = medianNanoseconds(body) / Double(turns)
        report.add(name, nanoseconds, "ns", note: "\(byteCount) bytes")
        report.add(name + "-rate", Double(byteCount) / nanoseconds * 1000, "MB/s")
    }
}
