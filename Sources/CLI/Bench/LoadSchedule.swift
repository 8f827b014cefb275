import Synchronization

/// Determines when the calls of a benchmark start. All workers share it.
///
/// With a rate, the start times do not depend on the speed of the server. A latency is then
/// measured from the time at which the call was due, so that the latencies include the time of a
/// stalled server.
final class LoadSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Plan: Sendable {
        /// The number of calls per second. If nil, each worker starts its next call when its last
        /// call has ended.
        var rate: Double?
        /// The most calls that are measured; nil sets no limit.
        var count: Int?
        /// The time for which calls are measured; nil sets no limit.
        var duration: Duration?
        /// The time for which calls are made before the measurement.
        var warmUp = Duration.zero
    }

    struct Ticket {
        /// The number of the call, from 0. Calls before the measurement are included.
        var number: Int
        /// The start of the call; nil means at once.
        var due: Instant?
        var isMeasured: Bool
    }

    private struct Progress {
        var issued = 0
        var measured = 0
    }

    let measurementStart: Instant
    private let plan: Plan
    private let start: Instant
    private let progress = Mutex(Progress())

    init(_ plan: Plan, start: Instant) {
        self.plan = plan
        self.start = start
        measurementStart = start + plan.warmUp
    }

    /// The next call; nil when no more calls are due.
    func next(now: Instant) -> Ticket? {
        progress.withLock { progress in
            let due = plan.rate.map { start + .seconds(Double(progress.issued) / $0) }
            let begin = due ?? now
            let number = progress.issued
            progress.issued += 1
            guard begin >= measurementStart else {
                return Ticket(number: number, due: due, isMeasured: false)
            }
            if let duration = plan.duration, begin >= measurementStart + duration { return nil }
            if let count = plan.count, progress.measured >= count { return nil }
            progress.measured += 1
            return Ticket(number: number, due: due, isMeasured: true)
        }
    }
}
