import Swiftlet
import SwiftletTransport

/// `swiftlet-bench client`: runs one scenario against a server, like gRPC's other benchmark
/// clients.
enum ClientBenchmark {
    static func run(_ words: [String]) async {
        guard !words.contains("--help") else { return print(ClientArguments.usage) }
        do {
            try await run(try ClientArguments(words))
        } catch let complaint as Complaint {
            complain("client: \(complaint.text); see client --help")
        } catch {
            giveUp("client: \(error)")
        }
    }

    private static func run(_ arguments: ClientArguments) async throws {
        switch arguments.scenario {
        case .idle, .connections:
            try await ClientScale.run(arguments, ClientMethods(arguments))
        case .unary, .stream, .serverStream, .clientStream:
            let figures = try await measure(arguments)
            print(figures.line)
            if let error = figures.firstError {
                giveUp("client: errors: \(figures.errorCount), the first: \(error)")
            }
        }
    }

    /// Does the work, and prints the results.
    static func measure(_ arguments: ClientArguments) async throws -> ClientFigures {
        // Started before the threads whose calls are counted.
        let counters =
            arguments.counts
            ? ClientMeter.Counters(allocations: .allocations(), systemCalls: .systemCalls())
            : ClientMeter.Counters()
        let methods = ClientMethods(arguments)
        // A single blocking worker runs the queue's event loop itself. Several workers share a
        // queue that has its own thread.
        let isTurnedByHand = arguments.executor == .blocking && arguments.concurrency == 1
        let queue = try CompletionQueue(
            isTurnedByHand ? .byHand : .ownThread, spin: arguments.spin)
        let channel = try Channel(
            arguments.target, credentials: arguments.credentials, queue: queue)
        let meter = ClientMeter(warmup: arguments.warmup, duration: arguments.duration)
        async let costs = inThread {
            meter.watch(counters) { Task { await channel.close() } }
        }
        await work(arguments, queue, channel, methods, meter)
        meter.workIsOver()
        return meter.figures(arguments, try await costs)
    }

    private static func work(
        _ arguments: ClientArguments, _ queue: CompletionQueue, _ channel: Channel,
        _ methods: ClientMethods, _ meter: ClientMeter
    ) async {
        let tasks = ClientTasks(
            channel: channel, methods: methods, meter: meter, arguments: arguments)
        switch arguments.executor {
        case .default: await tasks.run()
        case .queue: await withTaskExecutorPreference(queue) { await tasks.run() }
        case .handlers:
            await withCheckedContinuation { continuation in
                let handlers = ClientHandlers(channel, methods, meter, arguments) {
                    continuation.resume()
                }
                for _ in 0..<arguments.concurrency { handlers.start() }
            }
        case .blocking:
            let blocking = ClientBlocking(
                channel: channel, methods: methods, meter: meter, arguments: arguments)
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<arguments.concurrency {
                    group.addTask {
                        do {
                            try await inThread { blocking.run() }
                        } catch {
                            meter.fail(error)
                            // Ends the other workers, too: with fewer workers than requested, the
                            // figures would be wrong.
                            await channel.close()
                        }
                    }
                }
            }
        }
    }

    /// Runs `body` on a new thread.
    private static func inThread<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let didStart = Thread.start("worker") { continuation.resume(returning: body()) }
            guard !didStart else { return }
            continuation.resume(
                throwing: RPCError(.resourceExhausted, "the system has no more threads"))
        }
    }
}
