import Synchronization

/// When the calls of a benchmark start. Shared by all workers.
///
/// With a rate, the times do not depend on how fast the server answers. A latency is then measured
/// from the time at which the call was due, so that a server that stalls does not hide its stall.
final class LoadSchedule: Sendable {
    typealias Instant = ContinuousClock.Instant

    struct Plan: Sendable {
        /// Calls per second; nil starts each worker's next call when its last has ended.
        var rate: Double?
        /// The most calls that are measured; nil sets no limit.
        var count: Int?
        /// How long calls are measured; nil sets no limit.
        var duration: Duration?
        /// How long calls are made before the measurement.
        var warmUp = Duration.zero
    }

    struct Ticket {
        /// The number of the call, from 0, those before the measurement included.
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

    /// The next call; nil when no more are to be made.
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
