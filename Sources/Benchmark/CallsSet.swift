import Swiftlet
import SwiftletLoopback

/// Measures calls over a socket to a server in the same process, one second of each kind of work
/// with each executor of `swiftlet-bench client`.
enum CallsSet {
    private struct Work {
        var name: String
        var scenario: ClientArguments.Scenario
        var concurrency = 1
        var byteCount = 16
    }

    private static let works = [
        Work(name: "unary-1", scenario: .unary),
        Work(name: "unary-100", scenario: .unary, concurrency: 100),
        Work(name: "unary-1M", scenario: .unary, byteCount: 1 << 20),
        Work(name: "pingpong-100", scenario: .stream, concurrency: 100),
        Work(name: "server-stream", scenario: .serverStream, byteCount: 1_024),
        Work(name: "client-stream", scenario: .clientStream, byteCount: 1_024),
    ]

    static func run(_ report: inout Report) async {
        do {
            let server = try LoopbackServer { $0.addBenchmark() }
            for work in works {
                for executor in ClientArguments.Executor.allCases {
                    try await measure(work, executor, server.target, &report)
                }
            }
        } catch {
            giveUp("calls: \(error)")
        }
    }

    private static func measure(
        _ work: Work, _ executor: ClientArguments.Executor, _ target: String,
        _ report: inout Report
    ) async throws {
        var arguments = ClientArguments()
        arguments.target = target
        arguments.scenario = work.scenario
        arguments.executor = executor
        arguments.concurrency = work.concurrency
        arguments.requestByteCount = work.byteCount
        arguments.responseByteCount = work.byteCount
        arguments.messageCount = 10_000
        arguments.warmup = .milliseconds(200)
        arguments.duration = .seconds(1)
        let figures = try await ClientBenchmark.measure(arguments)
        if let error = figures.firstError { giveUp("calls: \(work.name): \(error)") }
        let median = figures.histogram.microseconds(at: 0.5)
        let late = figures.histogram.microseconds(at: 0.99)
        report.add(
            "\(work.name)/\(executor.rawValue)", figures.microsecondsOfProcessor, "us",
            note: "of processor time, client and server; \(Int(figures.perSecond)) per second, "
                + "p50 \(Int(median)) us, p99 \(Int(late)) us")
    }
}
