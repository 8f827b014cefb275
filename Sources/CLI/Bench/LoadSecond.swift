/// The calls that ended in one second of a benchmark.
struct LoadSecond: Sendable, Equatable {
    var callCount = 0
    var failureCount = 0
    var latencySum = Duration.zero

    /// Zero if there are no calls.
    var meanLatency: Duration { callCount == 0 ? .zero : latencySum / callCount }
}

extension [LoadSecond] {
    /// Adds a call that ended `time` after the start of the measurement.
    mutating func record(_ latency: Duration, isFailure: Bool, at time: Duration) {
        let index = Int(Swift.max(0, time / .seconds(1)))
        while count <= index { append(LoadSecond()) }
        self[index].callCount += 1
        self[index].failureCount += isFailure ? 1 : 0
        self[index].latencySum += latency
    }

    mutating func merge(_ other: [LoadSecond]) {
        while count < other.count { append(LoadSecond()) }
        for (index, second) in other.enumerated() {
            self[index].callCount += second.callCount
            self[index].failureCount += second.failureCount
            self[index].latencySum += second.latencySum
        }
    }
}
