import Foundation
import Swiftlet
import SwiftletTransport
import Synchronization

/// Counts what ends inside the measured window, and what it costs the process.
final class ClientMeter: Sendable {
    typealias Instant = MonotonicInstant

    /// What one worker counts, alone.
    struct Tally {
        fileprivate var histogram = LatencyHistogram()
        fileprivate(set) var count = 0
        fileprivate(set) var errorCount = 0
    }

    /// Nothing is counted unless it is asked for.
    struct Counters {
        var allocations: KernelCounter?
        var systemCalls: KernelCounter?
    }

    private struct State {
        var tally = Tally()
        var firstError: String?
    }

    let begin: Instant
    let end: Instant
    private let state = Mutex(State())

    init(warmup: Duration, duration: Duration) {
        begin = Instant.now + warmup
        end = begin + duration
    }
}

extension ClientMeter {
    /// Counts `units` that took from `start` to `now`. Returns whether to go on.
    ///
    /// - Parameter isLatency: Whether the time says something of each of them.
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

    /// Messages that go one way: a latency is the mean over a block of them.
    struct Block {
        static let size = 32

        private var start = Instant.now
        private var count = 0

        /// Counts a message. Returns whether to go on.
        mutating func add(_ tally: inout Tally, _ meter: ClientMeter) -> Bool {
            count += 1
            return count < Self.size || end(&tally, meter)
        }

        /// Counts those of a block, be it full or not. One that is not has the end of its call in its
        /// time.
        mutating func end(_ tally: inout Tally, _ meter: ClientMeter) -> Bool {
            guard count > 0 else { return true }
            let now = Instant.now
            defer { (start, count) = (now, 0) }
            return meter.count(
                &tally, from: start, to: now, units: count, isLatency: count == Self.size)
        }
    }

    /// A failure, which ends its worker.
    func fail(_ error: any Error) {
        state.withLock { state in
            state.tally.errorCount += 1
            if state.firstError == nil { state.firstError = "\(error)" }
        }
    }

    /// A worker has ended.
    func merge(_ tally: Tally) {
        state.withLock { state in
            state.tally.count += tally.count
            state.tally.histogram.merge(tally.histogram)
        }
    }
}

// MARK: - What it cost

/// Processor time and memory of the process so far.
struct ProcessCost {
    var user: Double
    var system: Double
    var peakKilobytes: Int
    /// Nil where they are not counted.
    var allocations: Int?
    var systemCalls: Int?

    static func now(_ counters: ClientMeter.Counters) -> ProcessCost {
        var usage = rusage()
        // The structure is the kernel's to fill; 0 is RUSAGE_SELF everywhere, whatever its type.
        _ = unsafe getrusage(0, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessCost(
            user: seconds(usage.ru_utime), system: seconds(usage.ru_stime),
            peakKilobytes: Int(usage.ru_maxrss), allocations: counters.allocations?.count,
            systemCalls: counters.systemCalls?.count)
    }
}

extension ClientMeter {
    /// Waits for the window in the calling thread, and returns its costs.
    func watch(_ counters: Counters) -> (before: ProcessCost, after: ProcessCost) {
        Self.sleep(until: begin)
        let before = ProcessCost.now(counters)
        Self.sleep(until: end)
        return (before, .now(counters))
    }

    private static func sleep(until instant: Instant) {
        let left = Instant.now.duration(to: instant)
        if left > .zero { Thread.sleep(forTimeInterval: left / .seconds(1)) }
    }

    /// What it came to.
    func figures(
        _ arguments: ClientArguments, _ before: ProcessCost, _ after: ProcessCost
    ) -> ClientFigures {
        let (tally, firstError) = state.withLock { ($0.tally, $0.firstError) }
        return ClientFigures(
            arguments: arguments, count: tally.count, errorCount: tally.errorCount,
            firstError: firstError, seconds: begin.duration(to: end) / .seconds(1),
            histogram: tally.histogram, before: before, after: after)
    }
}

/// What a client's work came to.
struct ClientFigures {
    let arguments: ClientArguments
    let count: Int
    let errorCount: Int
    let firstError: String?
    let seconds: Double
    let histogram: LatencyHistogram
    let before: ProcessCost
    let after: ProcessCost
}

extension ClientFigures {
    var perSecond: Double { Double(count) / seconds }
    var microsecondsOfProcessor: Double {
        each((after.user - before.user + after.system - before.system) * 1e6)
    }
    var allocationsOfEach: Double? { difference(\.allocations) }
    var systemCallsOfEach: Double? { difference(\.systemCalls) }

    private func each(_ sum: Double) -> Double { sum / Double(max(count, 1)) }

    private func difference(_ path: KeyPath<ProcessCost, Int?>) -> Double? {
        guard let first = before[keyPath: path], let last = after[keyPath: path] else { return nil }
        return each(Double(last - first))
    }

    private var bodyByteCount: Int {
        switch arguments.scenario {
        case .serverStream: arguments.responseByteCount
        case .clientStream: arguments.requestByteCount
        default: arguments.requestByteCount + arguments.responseByteCount
        }
    }

    /// The line that clients in other languages print, too.
    var line: String {
        var fields: [(String, JSONLine.Value)] = [
            ("client", .text("swiftlet")), ("mode", .text(arguments.executor.rawValue)),
            ("scenario", .text(arguments.scenario.rawValue)),
            ("concurrency", .number(Double(arguments.concurrency), digits: 0)),
            ("rpcs", .number(Double(count), digits: 0)),
            ("secs", .number(seconds, digits: 3)),
            ("rps", .number(perSecond, digits: 0)),
            ("p50_us", .number(histogram.microseconds(at: 0.5), digits: 2)),
            ("p99_us", .number(histogram.microseconds(at: 0.99), digits: 2)),
            ("cpu_us_per_rpc", .number(microsecondsOfProcessor, digits: 3)),
            ("user_us_per_rpc", .number(each((after.user - before.user) * 1e6), digits: 3)),
            ("sys_us_per_rpc", .number(each((after.system - before.system) * 1e6), digits: 3)),
            ("max_rss_kb", .number(Double(after.peakKilobytes), digits: 0)),
            ("bytes_per_s", .number(perSecond * Double(bodyByteCount), digits: 0)),
            ("errors", .number(Double(errorCount), digits: 0)),
        ]
        // Left out where they cannot be counted.
        if let allocationsOfEach {
            fields.append(("allocations_per_rpc", .number(allocationsOfEach, digits: 2)))
        }
        if let systemCallsOfEach {
            fields.append(("syscalls_per_rpc", .number(systemCallsOfEach, digits: 3)))
        }
        return JSONLine(fields).text
    }
}

/// One line of JSON, its keys in the order in which they are given.
struct JSONLine {
    enum Value {
        case text(String)
        case number(Double, digits: Int)
    }

    let text: String

    init(_ fields: [(String, Value)]) {
        let parts = fields.map { name, value in
            switch value {
            case .text(let text): "\"\(name)\":\"\(text)\""
            case .number(let number, let digits):
                "\"\(name)\":" + String(format: "%.\(digits)f", number)
            }
        }
        text = "{" + parts.joined(separator: ",") + "}"
    }
}

/// How often which time was taken, in 16 steps to each doubling. A share's time is found inside its
/// step as if the times lay there evenly, so it is off by much less than a step.
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

    /// What lies `part` of the way through a step.
    private static func nanoseconds(of step: Int, at part: Double) -> Double {
        let (exponent, mantissa) = (step / 16, step % 16)
        return Double(1 << exponent) * (1 + (Double(mantissa) + part) / 16)
    }
}
