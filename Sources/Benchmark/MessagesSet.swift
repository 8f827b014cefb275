import Swiftlet

/// How long a message takes to become octets, and octets to become a message.
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
        let octets = message.encoded()
        guard (try? M(decoding: octets)) == message else {
            giveUp("\(name) does not decode to itself")
        }
        add("decode-\(name)", octets.count, &report) {
            do throws(WireError) { blackHole(try M(decoding: octets)) } catch {
                giveUp("\(error)")
            }
        }
        add("encode-\(name)", octets.count, &report) { blackHole(message.encoded()) }
        var kept: [UInt8] = []
        add("append-\(name)", octets.count, &report) {
            kept.removeAll(keepingCapacity: true)
            message.encode(appendingTo: &kept)
        }
        blackHole(kept)
    }

    private static func add(
        _ name: String, _ byteCount: Int, _ report: inout Report, _ body: () -> Void
    ) {
        let nanoseconds = medianNanoseconds(body)
        report.add(name, nanoseconds, "ns", note: "\(byteCount) octets")
        report.add(name + "-rate", Double(byteCount) / nanoseconds * 1000, "MB/s")
    }
}
