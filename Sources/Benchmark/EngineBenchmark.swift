import SwiftletTransport

/// Measures the HTTP/2 engine alone, without socket, thread and lock.
enum EngineBenchmark {
    @Sendable static func run(into report: inout Report) {
        data(&report)
        EngineUnary.run(into: &report)
        EngineStreams.run(into: &report)
    }

    // MARK: - DATA

    private static let frameCount = 64

    /// Parses and dispatches DATA frames of 16 KiB, and copies their content once to its place.
    private static func data(_ report: inout Report) {
        let now = MonotonicInstant.now
        var client = EngineEnd(.client, now: now)
        client.begin()
        _ = client.open(endStream: true)
        client.receive(EngineEnd.headers(on: 1, block: [0x88], endStream: false))

        let frame = [0, 0x40, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 7, count: 16_384)
        let input = [UInt8](repeatElement(frame, count: frameCount).joined())
        var place = [UInt8]()
        place.reserveCapacity(frameCount * 16_384)

        let reference = medianNanoseconds {
            place.removeAll(keepingCapacity: true)
            for index in 0..<frameCount {
                let start = index * frame.count + 9
                place.append(
                    copying: ContiguousArray(input).span.extracting(start..<start + 16_384))
            }
            blackHole(place)
        }
        let nanoseconds = medianNanoseconds {
            place.removeAll(keepingCapacity: true)
            client.receive(input, into: &place)
            blackHole(place)
        }
        precondition(place.count == frameCount * 16_384)
        report.add(
            "data-16k", nanoseconds / Double(frameCount), "ns", ratio: nanoseconds / reference,
            note: "to memcpy")
    }
}

/// One engine with its buffers.
struct EngineEnd: ~Copyable {
    var connection: Connection
    let now: MonotonicInstant
    var output = GatherList()
    /// The last request that arrived completely.
    var ended: StreamHandle?

    init(_ role: Role, now: MonotonicInstant) {
        self.now = now
        connection = Connection(ConnectionConfiguration(role), now: now)
    }
}

extension EngineEnd {
    /// Receives the server's connection preface and its acknowledgement of this side's SETTINGS.
    mutating func begin() {
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        let acknowledgement: [UInt8] = [0, 0, 0, 4, 1, 0, 0, 0, 0]
        receive(settings + acknowledgement)
    }

    mutating func open(endStream: Bool) -> StreamHandle {
        do throws(Connection.OpenRefusal) {
            let handle = try connection.openStream(
                EngineUnary.request, HeaderList(), endStream: endStream)
            dropOutput()
            return handle
        } catch {
            preconditionFailure("the engine refuses: \(error)")
        }
    }

    /// Receives bytes, and copies their content to `place`.
    mutating func receive(_ bytes: [UInt8], into place: inout [UInt8]) {
        var offset = 0
        while let event = connection.receive(ContiguousArray(bytes).span, at: &offset, now: now) {
            guard case .data(let handle, let range, _) = event else { continue }
            place.append(copying: ContiguousArray(bytes).span.extracting(range))
            connection.consumed(handle, by: range.count, now: now)
        }
        dropOutput()
    }

    mutating func receive(_ bytes: [UInt8]) {
        var offset = 0
        while connection.receive(ContiguousArray(bytes).span, at: &offset, now: now) != nil {}
        dropOutput()
    }

    private mutating func dropOutput() {
        connection.takeOutput(into: &output)
        output.removeAll()
    }

    static func headers(on stream: UInt32, block: [UInt8], endStream: Bool) -> [UInt8] {
        [0, 0, UInt8(block.count), 1, endStream ? 5 : 4]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: stream >> $0) } + block
    }
}
