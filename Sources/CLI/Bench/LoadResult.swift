import Swiftlet

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
    /// The time from the start of the measurement to the end of the last call.
    var duration = Duration.zero

    var callsPerSecond: Double {
        duration > .zero ? Double(latencies.count) / (duration / .seconds(1)) : 0
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
        }
    }

    mutating func merge(_ other: LoadResult) {
        latencies.merge(other.latencies)
        seconds.merge(other.seconds)
        statuses.merge(other.statuses, uniquingKeysWith: +)
        firstFailure = firstFailure ?? other.firstFailure
        receivedByteCount += other.receivedByteCount
    }
}
