import Synchronization
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("The load report in trailers")
struct LoadReportTests {
    private static func double(_ number: UInt8, _ value: Double) -> [UInt8] {
        [number << 3 | 1] + (0..<8).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }

    private static func bytes(_ number: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(payload.count)] + payload
    }

    private static func entry(_ number: UInt8, _ name: String, _ value: Double) -> [UInt8] {
        bytes(number, bytes(1, Array(name.utf8)) + double(2, value))
    }

    @Test("contains every known field, and skips unknown fields")
    func fields() throws {
        let bytes =
            Self.double(1, 0.5) + Self.double(2, 0.25) + [3 << 3, 0x96, 0x01]
            + Self.entry(4, "cost", 7) + Self.entry(5, "disk", 0.75) + Self.double(6, 1000.5)
            + Self.double(7, 3) + Self.entry(8, "queue", 12) + Self.double(9, 0.875)
            + [15 << 3 | 5, 1, 2, 3, 4]
        let load = try #require(LoadReport(decoding: bytes))
        var expected = LoadReport()
        expected.cpuUtilization = 0.5
        expected.memoryUtilization = 0.25
        expected.utilization = ["disk": 0.75]
        expected.requestsPerSecond = 1000.5
        expected.errorsPerSecond = 3
        expected.namedMetrics = ["queue": 12]
        expected.applicationUtilization = 0.875
        #expect(load == expected)
    }

    @Test("values that are negative or not finite count as 0", arguments: [-1, .nan, .infinity])
    func garbage(value: Double) {
        #expect(LoadReport(decoding: Self.double(1, value)) == LoadReport())
    }

    @Test("if a field has several values, the last one counts, even if it is 0")
    func lastValue() {
        let load = LoadReport(decoding: Self.double(1, 0.5) + Self.double(1, 0))
        #expect(load?.cpuUtilization == 0)
    }

    @Test(
        "bytes that are not a message are ignored",
        arguments: [
            [0x09, 0], [0x2a, 5, 0], [0x80], [0x00], [0x0b], [0x2a, 2, 0x12, 9],
            [UInt8](repeating: 0xff, count: 12),
        ])
    func malformed(bytes: [UInt8]) {
        #expect(LoadReport(decoding: bytes) == nil)
    }

    @Test("no cut of a report traps")
    func cuts() {
        let bytes = Self.double(1, 0.5) + Self.entry(5, "disk", 0.75)
        for count in 0..<bytes.count { _ = LoadReport(decoding: Array(bytes.prefix(count))) }
        #expect(LoadReport(decoding: []) == LoadReport())
    }

    @Test("is read from endpoint-load-metrics-bin")
    func trailers() {
        var trailers: Metadata = ["x-other": "1"]
        let tracker = Tracker()
        Self.end(trailers, tracker)
        trailers.append(bytes: Self.double(1, 0.5), for: "endpoint-load-metrics-bin")
        Self.end(trailers, tracker)
        #expect(tracker.loads.withLock { $0.map { $0?.cpuUtilization } } == [nil, 0.5])
    }

    private final class Tracker: CallTracker {
        let loads = Mutex<[LoadReport?]>([])
        func callEnded(_ outcome: CallOutcome) { loads.withLock { $0.append(outcome.load) } }
    }

    private static func end(_ trailers: Metadata, _ tracker: Tracker) {
        var trackers = CallTrackers()
        trackers.add(tracker)
        TrackedEnd(trackers: trackers, code: .ok, trailers: trailers, wasSent: true).report()
    }
}
