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
            do throws(WireError) { blackHole(try M(decoding: bytes)) } catch {
                giveUp("\(error)")
            }
        }
        let sample = Sample(message)
        add("encode-\(name)", bytes.count, &report) { blackHole(sample.message.encoded()) }
        var kept: [UInt8] = []
        add("append-\(name)", bytes.count, &report) {
            kept.removeAll(keepingCapacity: true)
            sample.message.encode(appendingTo: &kept)
        }
        blackHole(kept)
    }

    /// Holds the message, because each turn would copy one that its closure captures.
    private final class Sample<M: Message> {
        let message: M

        init(_ message: M) { self.message = message }
    }

    private static func add(
        _ name: String, _ byteCount: Int, _ report: inout Report, _ body: () -> Void
    ) {
        let nanoseconds = medianNanoseconds(body)
        report.add(name, nanoseconds, "ns", note: "\(byteCount) bytes")
        report.add(name + "-rate", Double(byteCount) / nanoseconds * 1000, "MB/s")
    }
}
