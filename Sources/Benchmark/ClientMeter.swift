import Foundation
import Swiftlet
import SwiftletTransport
import Synchronization

/// Counts the calls that end inside the measured window, and the resources that the process uses.
final class ClientMeter: Sendable {
    typealias Instant = MonotonicInstant

    /// The counts of one worker, which no other worker changes.
    struct Tally {
        fileprivate var histogram = LatencyHistogram()
        fileprivate(set) var count = 0
        fileprivate(set) var errorCount = 0
    }

    /// Allocations and system calls are counted only on request.
    struct Counters {
        var allocations: KernelCounter?
        var systemCalls: KernelCounter?
    }

    private struct State {
        var tally = Tally()
        var firstError: String?
        /// Whether the last worker has ended.
        var isOver = false
    }

    /// The longest time after the end of the window in which calls may still end.
    private static let endTimeout = Duration.seconds(10)

    let begin: Instant
    let end: Instant
    private let state = Mutex(State())
    /// Wakes the thread that waits for the last worker.
    private let endOfWork = NSCondition()

    init(warmup: Duration, duration: Duration) {
        begin = Instant.now + warmup
        end = begin + duration
    }
}

extension ClientMeter {
    /// Counts `units` that took from `start` to `now`. Returns whether the worker continues.
    ///
    /// - Parameter isLatency: Whether the time is recorded as a latency.
    func count(
        _ tally: inout Tally, from start: Instant, to now: Instant, units: Int = 1,
        isLatency: Bool = true
    ) -> Bool {
        guard now < end else { return false }
        guard now >= begin else { return true }
        tally.count += units
        guard isLatency else { return true }
        tally.histogram.add((now.nanoseconds - start.nanoseconds) / Int64(units), times: units)
        return true
    }

    /// Counts messages of a stream in blocks of 32. The mean time per message of a full block is
    /// one latency.
    struct Block {
        static let size = 32

        private var start = Instant.now
        private var count = 0

        /// Counts a message. Returns whether the worker continues.
        mutating func add(_ tally: inout Tally, _ meter: ClientMeter) -> Bool {
            count += 1
            return count < Self.size || end(&tally, meter)
        }

        /// Counts the messages of a block. The time of a block that is not full includes the end of its
        /// call.
        mutating func end(_ tally: inout Tally, _ meter: ClientMeter) -> Bool {
            guard count > 0 else { return true }
            let now = Instant.now
            defer { (start, count) = (now, 0) }
            return meter.count(
                &tally, from: start, to: now, units: count, isLatency: count == Self.size)
        }
    }

    /// Counts a failure, and keeps the text of the first failure. The calling worker must end.
    func fail(_ error: any Error) {
        state.withLock { state in
            state.tally.errorCount += 1
            if state.firstError == nil { state.firstError = "\(error)" }
        }
    }

    /// Called when a worker has ended.
    func merge(_ tally: Tally) {
        state.withLock { state in
            state.tally.count += tally.count
            state.tally.histogram.merge(tally.histogram)
        }
    }

    /// Called when all workers have ended.
    func workIsOver() {
        endOfWork.withLock { state.withLock { $0.isOver = true } }
        endOfWork.broadcast()
    }
}

// MARK: - Costs

/// Processor time and memory of the process so far.
struct ProcessCost {
    var user: Double
    var system: Double
    var peakKilobytes: Int
    /// Nil if they are not counted.
    var allocations: Int?
    var systemCalls: Int?

    static func now(_ counters: ClientMeter.Counters) -> ProcessCost {
        var usage = rusage()
        // The kernel fills the structure; RUSAGE_SELF is 0 on all systems, with different types.
        _ = unsafe getrusage(0, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessCost(
            user: seconds(usage.ru_utime), system: seconds(usage.ru_stime),
            peakKilobytes: Int(usage.ru_maxrss), allocations: counters.allocations?.count,
            systemCalls: counters.systemCalls?.count)
    }
}

extension ClientMeter {
    /// The costs and the duration of the window. It ends early when all workers have ended.
    struct Costs {
        let before: ProcessCost
        let after: ProcessCost
        let seconds: Double
    }

    /// Blocks the calling thread until all workers have ended, at most until ``endTimeout`` after
    /// the window. At that time it calls `stop`, which must end the remaining calls. Returns the
    /// costs of the window.
    func watch(_ counters: Counters, stop: () -> Void) -> Costs {
        _ = waitForWorkers(until: begin)
        let before = ProcessCost.now(counters)
        _ = waitForWorkers(until: end)
        let after = ProcessCost.now(counters)
        let seconds = begin.duration(to: min(max(begin, .now), end)) / .seconds(1)
        if !waitForWorkers(until: end + Self.endTimeout) {
            note("calls had not ended \(Self.endTimeout) after the measured time")
            stop()
        }
        return Costs(before: before, after: after, seconds: seconds)
    }

    /// Blocks until all workers have ended or `instant` has passed. Returns whether all have ended.
    private func waitForWorkers(until instant: Instant) -> Bool {
        endOfWork.withLock {
            while !state.withLock({ $0.isOver }) {
                let left = Instant.now.duration(to: instant)
                guard left > .zero else { return false }
                // The wait uses the calendar clock, which may be changed in the meantime. So the time is
                // checked again.
                _ = endOfWork.wait(until: Date(timeIntervalSinceNow: left / .seconds(1)))
            }
            return true
        }
    }

    /// Records the reason as the first error, unless an error was recorded before.
    private func note(_ reason: String) {
        state.withLock { $0.firstError = $0.firstError ?? reason }
    }

    /// The figures of the window.
    func figures(_ arguments: ClientArguments, _ costs: Costs) -> ClientFigures {
        let (tally, firstError) = state.withLock { ($0.tally, $0.firstError) }
        return ClientFigures(
            arguments: arguments, count: tally.count, errorCount: tally.errorCount,
            firstError: tally.errorCount > 0 ? firstError : nil, seconds: costs.seconds,
            histogram: tally.histogram,
            before: costs.before, after: costs.after)
    }
}

/// Counts times in 16 steps for each doubling. A percentile is interpolated inside its step, so that its
/// error is much smaller than a step.
struct LatencyHistogram {
    private var counts = [Int](repeating: 0, count: 1_024)

    mutating func add(_ nanoseconds: Int64, times: Int) {
        counts[Self.step(Int(max(1, nanoseconds)))] += times
    }

    mutating func merge(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    func microseconds(at share: Double) -> Double {
        let wanted = Double(counts.reduce(0, +)) * share
        var below = 0.0
        for (index, count) in counts.enumerated() where count > 0 {
            if below + Double(count) >= wanted {
                return Self.nanoseconds(of: index, at: (wanted - below) / Double(count)) / 1e3
            }
            below += Double(count)
        }
        return 0
    }

    private static func step(_ nanoseconds: Int) -> Int {
        let exponent = Int.bitWidth - 1 - nanoseconds.leadingZeroBitCount
        let mantissa = exponent >= 4 ? nanoseconds >> (exponent - 4) : nanoseconds << (4 - exponent)
        return exponent * 16 + (mantissa & 15)
    }

    /// A time inside a step: `part` is 0 for its lower bound and 1 for its upper bound.
    private static func nanoseconds(of step: Int, at part: Double) -> Double {
        let (exponent, mantissa) = (step / 16, step % 16)
        return Double(1 << exponent) * (1 + (Double(mantissa) + part) / 16)
    }
}
