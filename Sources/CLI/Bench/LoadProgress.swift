import SwiftletLoopback
import Synchronization

/// Counts the calls of a benchmark while it runs, and shows them on a line of the terminal.
final class LoadProgress: Sendable {
    private static let interval = Duration.milliseconds(500)

    private let callCount = Atomic(0)
    private let failureCount = Atomic(0)

    func record(isFailure: Bool) {
        callCount.add(1, ordering: .relaxed)
        if isFailure { failureCount.add(1, ordering: .relaxed) }
    }

    /// Draws the line repeatedly until the task is cancelled, and then removes it.
    func show(since start: ContinuousClock.Instant) async {
        var (lastCount, lastTime) = (0, start)
        while !Task.isCancelled {
            do { try await Task.sleep(for: Self.interval) } catch { break }
            let now = ContinuousClock.now
            let count = callCount.load(ordering: .relaxed)
            let seconds = lastTime.duration(to: now) / .seconds(1)
            let line = Self.line(
                count: count, failures: failureCount.load(ordering: .relaxed),
                perSecond: seconds > 0 ? Double(count - lastCount) / seconds : 0,
                after: start.duration(to: now), columnCount: Terminal.columnCount)
            (lastCount, lastTime) = (count, now)
            writeToStandardError("\r\(line)\u{1b}[K")
        }
        writeToStandardError("\r\u{1b}[K")
    }

    /// The line with the most important figures first. It contains as many figures as fit.
    static func line(
        count: Int, failures: Int, perSecond: Double, after time: Duration, columnCount: Int
    ) -> String {
        let parts = [
            "\(count) calls", "\(Int(perSecond.rounded()))/s", "\(failures) failed",
            "\(Int(time / .seconds(1))) s",
        ]
        var line = ""
        for part in parts {
            let longer = line.isEmpty ? part : line + ", " + part
            // The cursor is at the end of the line.
            guard longer.count < columnCount else { break }
            line = longer
        }
        return line
    }
}
