import Foundation
import Swiftlet

/// What open streams and connections cost in memory.
enum ClientScale {
    static func run(_ arguments: ClientArguments, _ methods: ClientMethods) async throws {
        let queue = try CompletionQueue(spin: arguments.spin)
        switch arguments.executor {
        case .default: try await run(arguments, methods, queue)
        case .queue:
            try await withTaskExecutorPreference(queue) {
                try await run(arguments, methods, queue)
            }
        case .blocking, .handlers:
            complain("client: what is held open is measured with --executor default or queue")
        }
    }

    private static func run(
        _ arguments: ClientArguments, _ methods: ClientMethods, _ queue: CompletionQueue
    ) async throws {
        let first = try Channel(arguments.target, queue: queue)
        if arguments.scenario == .idle {
            // The connection is there before anything is counted.
            try methods.check(try await first.unary(methods.unary, methods.request))
        }
        let before = AllocationCount.residentByteCount ?? 0
        let cost = ProcessCost.now(.init())
        let begin = ContinuousClock.now
        var streams: [Conversation<ClientMethods.Request, ClientMethods.Reply>] = []
        var iterators: [ResponseStream<ClientMethods.Reply>.AsyncIterator] = []
        var channels: [Channel] = []
        for _ in 0..<arguments.concurrency {
            if arguments.scenario == .idle {
                let call = try await first.bidirectional(methods.stream)
                try await call.requests.write(methods.request)
                var iterator = call.responses.makeAsyncIterator()
                guard let reply = try await iterator.next() else {
                    throw RPCError(.dataLoss, "a stream ended")
                }
                try methods.check(reply)
                streams.append(call)
                iterators.append(iterator)
            } else {
                let channel = try Channel(arguments.target, queue: queue)
                try methods.check(try await channel.unary(methods.unary, methods.request))
                channels.append(channel)
            }
        }
        let grown = (AllocationCount.residentByteCount ?? 0) - before
        AllocationCount.giveBackFreeMemory()
        let trimmed = (AllocationCount.residentByteCount ?? 0) - before
        let after = ProcessCost.now(.init())
        let seconds = begin.duration(to: .now) / .seconds(1)
        let count = Double(arguments.concurrency)
        let (user, system) = (after.user - cost.user, after.system - cost.system)
        print(
            JSONLine([
                ("client", .text("swiftlet")), ("mode", .text(arguments.executor.rawValue)),
                ("scenario", .text(arguments.scenario.rawValue)),
                ("concurrency", .number(count, digits: 0)), ("rpcs", .number(count, digits: 0)),
                ("secs", .number(seconds, digits: 3)),
                ("rps", .number(count / seconds, digits: 0)), ("p50_us", .number(0, digits: 0)),
                ("p99_us", .number(0, digits: 0)),
                ("cpu_us_per_rpc", .number((user + system) * 1e6 / count, digits: 3)),
                ("user_us_per_rpc", .number(user * 1e6 / count, digits: 3)),
                ("sys_us_per_rpc", .number(system * 1e6 / count, digits: 3)),
                ("max_rss_kb", .number(Double(after.peakKilobytes), digits: 0)),
                ("bytes_per_s", .number(0, digits: 0)), ("errors", .number(0, digits: 0)),
                ("bytes_per_stream", .number(Double(grown) / count, digits: 0)),
                ("bytes_per_stream_trimmed", .number(Double(trimmed) / count, digits: 0)),
                ("base_rss_kb", .number(Double(before) / 1_024, digits: 0)),
            ]).text)
        withExtendedLifetime((streams, iterators, channels)) {}
    }
}
