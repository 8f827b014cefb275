import Foundation
import Swiftlet
import Synchronization

/// Counts what ends inside the measured window, and what it costs the process.
final class ClientMeter: Sendable {
    typealias Instant = ContinuousClock.Instant

    /// What one worker counts, alone.
    struct Tally {
        fileprivate var histogram = LatencyHistogram()
        fileprivate(set) var count = 0
        fileprivate(set) var errorCount = 0
    }

    private struct State {
        var tally = Tally()
        var firstError: String?
    }

    let begin: Instant
    let end: Instant
    private let state = Mutex(State())

    init(warmup: Duration, duration: Duration) {
        begin = .now + warmup
        end = begin + duration
    }
}

extension ClientMeter {
    /// Counts `units` that took from `start` to `now`. Returns whether to go on.
    func count(_ tally: inout Tally, from start: Instant, to now: Instant, units: Int = 1) -> Bool {
        guard now < end else { return false }
        guard now >= begin else { return true }
        tally.count += units
        tally.histogram.add(start.duration(to: now) / units, times: units)
        return true
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

    static var now: ProcessCost {
        var usage = rusage()
        // The structure is the kernel's to fill; 0 is RUSAGE_SELF everywhere, whatever its type.
        _ = unsafe getrusage(0, &usage)
        func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
        return ProcessCost(
            user: seconds(usage.ru_utime), system: seconds(usage.ru_stime),
            peakKilobytes: Int(usage.ru_maxrss))
    }
}

extension ClientMeter {
    /// Waits for the window in the calling thread, and returns its costs.
    func watch() -> (before: ProcessCost, after: ProcessCost) {
        Self.sleep(until: begin)
        let before = ProcessCost.now
        Self.sleep(until: end)
        return (before, .now)
    }

    private static func sleep(until instant: Instant) {
        let left = ContinuousClock.now.duration(to: instant)
        if left > .zero { Thread.sleep(forTimeInterval: left / .seconds(1)) }
    }

    /// The line that is the answer.
    func line(
        _ arguments: ClientArguments, _ before: ProcessCost, _ after: ProcessCost
    ) -> String {
        let (tally, firstError) = state.withLock { ($0.tally, $0.firstError) }
        let seconds = begin.duration(to: end) / .seconds(1)
        let each = 1e6 / Double(max(tally.count, 1))
        let (user, system) = (after.user - before.user, after.system - before.system)
        let bodies: Int =
            switch arguments.scenario {
            case .serverStream: arguments.responseByteCount
            case .clientStream: arguments.requestByteCount
            default: arguments.requestByteCount + arguments.responseByteCount
            }
        if let firstError { FileHandle.standardError.write(Data("\(firstError)\n".utf8)) }
        return JSONLine([
            ("client", .text("swiftlet")), ("mode", .text(arguments.executor.rawValue)),
            ("scenario", .text(arguments.scenario.rawValue)),
            ("concurrency", .number(Double(arguments.concurrency), digits: 0)),
            ("rpcs", .number(Double(tally.count), digits: 0)),
            ("secs", .number(seconds, digits: 3)),
            ("rps", .number(Double(tally.count) / seconds, digits: 0)),
            ("p50_us", .number(tally.histogram.microseconds(at: 0.5), digits: 2)),
            ("p99_us", .number(tally.histogram.microseconds(at: 0.99), digits: 2)),
            ("cpu_us_per_rpc", .number((user + system) * each, digits: 3)),
            ("user_us_per_rpc", .number(user * each, digits: 3)),
            ("sys_us_per_rpc", .number(system * each, digits: 3)),
            ("max_rss_kb", .number(Double(after.peakKilobytes), digits: 0)),
            ("bytes_per_s", .number(Double(tally.count * bodies) / seconds, digits: 0)),
            ("errors", .number(Double(tally.errorCount), digits: 0)),
        ]).text
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

/// How often which time was taken: 16 steps to each doubling, so no time is off by more than 7 %.
struct LatencyHistogram {
    private var counts = [Int](repeating: 0, count: 1_024)

    mutating func add(_ duration: Duration, times: Int) {
        let (seconds, attoseconds) = duration.components
        let nanoseconds = max(1, Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
        counts[Self.step(nanoseconds)] += times
    }

    mutating func merge(_ other: LatencyHistogram) {
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    func microseconds(at share: Double) -> Double {
        let wanted = Double(counts.reduce(0, +)) * share
        var sum = 0.0
        for (index, count) in counts.enumerated() {
            sum += Double(count)
            if count > 0, sum >= wanted { return Self.nanoseconds(of: index) / 1e3 }
        }
        return 0
    }

    private static func step(_ nanoseconds: Int) -> Int {
        let exponent = Int.bitWidth - 1 - nanoseconds.leadingZeroBitCount
        let mantissa = exponent >= 4 ? nanoseconds >> (exponent - 4) : nanoseconds << (4 - exponent)
        return exponent * 16 + (mantissa & 15)
    }

    /// The middle of a step.
    private static func nanoseconds(of step: Int) -> Double {
        let (exponent, mantissa) = (step / 16, step % 16)
        return Double(1 << exponent) * (1 + (Double(mantissa) + 0.5) / 16)
    }
}
