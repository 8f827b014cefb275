import SwiftletTransport

/// Measures the cost of streams when many are open.
enum EngineStreams {
    static func run(into report: inout Report) {
        var few = 0.0
        for count in [10, 100_000] {
            var client = EngineEnd(.client, now: .now)
            client.begin()
            let before = AllocationCount.residentByteCount
            var id: UInt32 = 1
            for _ in 0..<count {
                _ = client.open(endStream: true)
                id += 2
            }
            if let before, let after = AllocationCount.residentByteCount, count > 10 {
                report.add(
                    "bytes-per-stream", Double(after - before) / Double(count), "bytes",
                    note: "at \(count) open streams")
            }
            let nanoseconds = medianNanoseconds {
                _ = client.open(endStream: true)
                client.receive(EngineEnd.headers(on: id, block: [0x88], endStream: true))
                id += 2
            }
            precondition(client.connection.streamCount == count)
            if count == 10 { few = nanoseconds }
            report.add(
                "stream-open-close-\(count)", nanoseconds, "ns",
                ratio: count == 10 ? nil : nanoseconds / few,
                note: count == 10 ? "" : "to that with 10 open")
        }
    }
}
