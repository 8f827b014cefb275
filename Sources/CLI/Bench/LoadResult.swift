import Swiftlet
import SwiftletTransport

/// The measurements of a benchmark.
struct LoadResult: Sendable {
    /// The latencies of all calls, including failed calls.
    var latencies = LatencyHistogram()
    var statuses: [StatusCode: Int] = [:]
    /// The calls, grouped by the second in which they ended.
    var seconds: [LoadSecond] = []
    /// The text of the first failure.
    var firstFailure: String?
    /// The number of bytes of all response messages.
    var receivedByteCount = 0
    /// How many calls failed with each text, by the bytes of the text: a server chooses it.
    private(set) var failures: [[UInt8]: Int] = [:]
    /// The first and the last start of a call, as times after the start of the measurement; nil without calls.
    private(set) var starts: ClosedRange<Duration>?
    /// The time from the start of the measurement to the end of the last call.
    var duration = Duration.zero

    var callsPerSecond: Double {
        duration > .zero ? Double(latencies.count) / (duration / .seconds(1)) : 0
    }

    /// The most texts in ``failures``. Calls that fail with other texts are counted together.
    private static let maxFailureCount = 50
    private static let otherFailures = Array("other failures".utf8)

    /// How many calls started in a second; nil for fewer than two calls.
    var startsPerSecond: Double? {
        guard let starts, latencies.count > 1, starts.upperBound > starts.lowerBound else {
            return nil
        }
        let seconds = (starts.upperBound - starts.lowerBound) / .seconds(1)
        return Double(latencies.count - 1) / seconds
    }

    /// Notes that a measured call starts `time` after the start of the measurement.
    mutating func start(at time: Duration) { starts = Self.union(starts, time...time) }

    private static func union(
        _ one: ClosedRange<Duration>?, _ other: ClosedRange<Duration>
    ) -> ClosedRange<Duration> {
        guard let one else { return other }
        return min(one.lowerBound, other.lowerBound)...max(one.upperBound, other.upperBound)
    }

    private mutating func addFailures(_ text: [UInt8], _ count: Int) {
        let isCounted = failures[text] != nil || failures.count < Self.maxFailureCount
        failures[isCounted ? text : Self.otherFailures, default: 0] += count
    }

    /// Adds a call that ended `time` after the start of the measurement.
    mutating func record(
        _ latency: Duration, _ outcome: Result<Int, RPCError>, at time: Duration
    ) {
        latencies.record(latency)
        switch outcome {
        case .success(let byteCount):
            seconds.record(latency, isFailure: false, at: time)
            statuses[.ok, default: 0] += 1
            receivedByteCount += byteCount
        case .failure(let error):
            seconds.record(latency, isFailure: true, at: time)
            statuses[error.code, default: 0] += 1
            firstFailure = firstFailure ?? Main.text(of: error)
            addFailures(Array("\(error.code): \(PeerText.clean(error.message))".utf8), 1)
        }
    }

    mutating func merge(_ other: LoadResult) {
        latencies.merge(other.latencies)
        seconds.merge(other.seconds)
        statuses.merge(other.statuses, uniquingKeysWith: +)
        firstFailure = firstFailure ?? other.firstFailure
        for (text, count) in other.failures { addFailures(text, count) }
        if let added = other.starts { starts = Self.union(starts, added) }
        receivedByteCount += other.receivedByteCount
    }
}
