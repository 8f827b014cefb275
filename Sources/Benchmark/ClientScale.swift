import Swiftlet

/// Measures the memory of open streams and connections.
enum ClientScale {
    /// The open streams with their iterators, or the channels, kept until the memory is measured.
    fileprivate struct Held {
        var streams: [Conversation<ClientMethods.Request, ClientMethods.Reply>] = []
        var iterators: [ResponseStream<ClientMethods.Reply>.AsyncIterator] = []
        var channels: [Channel] = []
    }

    /// The memory of the process before and after.
    private struct Figures {
        let before: Int
        let grown: Int
        let trimmed: Int
        let costs: (before: ProcessCost, after: ProcessCost)
        let seconds: Double
    }

    static func run(_ arguments: ClientArguments, _ methods: ClientMethods) async throws {
        let queue = try CompletionQueue(spin: arguments.spin)
        switch arguments.executor {
        case .default: try await run(arguments, methods, queue)
        case .queue:
            try await withTaskExecutorPreference(queue) {
                try await run(arguments, methods, queue)
            }
        case .blocking, .handlers:
            complain("client: this scenario needs --executor default or queue")
        }
    }

    private static func run(
        _ arguments: ClientArguments, _ methods: ClientMethods, _ queue: CompletionQueue
    ) async throws {
        let roundTrips = RoundTripLimit()
        async let _ = roundTrips.watch()
        // The first channel connects before the first measurement, so that memory which is
        // allocated only once is not counted.
        let first = try Channel(arguments.target, credentials: arguments.credentials, queue: queue)
        try await roundTrips.limit(first) {
            try methods.check(try await first.unary(methods.unary, methods.request))
        }
        var held = Held()
        let before = AllocationCount.residentByteCount ?? 0
        let cost = ProcessCost.now(.init())
        let begin = ContinuousClock.now
        for _ in 0..<arguments.concurrency {
            if arguments.scenario == .idle {
                try await roundTrips.limit(first) { try await held.addStream(of: first, methods) }
            } else {
                let channel = try Channel(
                    arguments.target, credentials: arguments.credentials, queue: queue)
                try await roundTrips.limit(channel) { try await held.add(channel, methods) }
            }
        }
        let grown = (AllocationCount.residentByteCount ?? 0) - before
        AllocationCount.giveBackFreeMemory()
        let trimmed = (AllocationCount.residentByteCount ?? 0) - before
        let figures = Figures(
            before: before, grown: grown, trimmed: trimmed, costs: (cost, .now(.init())),
            seconds: begin.duration(to: .now) / .seconds(1))
        print(line(arguments, figures))
        withExtendedLifetime((first, held)) {}
    }

    private static func line(_ arguments: ClientArguments, _ figures: Figures) -> String {
        let count = Double(arguments.concurrency)
        let (before, after) = figures.costs
        let (user, system) = (after.user - before.user, after.system - before.system)
        return JSONLine([
            ("client", .text("swiftlet")), ("mode", .text(arguments.executor.rawValue)),
            ("scenario", .text(arguments.scenario.rawValue)),
            ("concurrency", .number(count, digits: 0)), ("rpcs", .number(count, digits: 0)),
            ("secs", .number(figures.seconds, digits: 3)),
            ("rps", .number(count / figures.seconds, digits: 0)),
            ("p50_us", .number(0, digits: 0)), ("p99_us", .number(0, digits: 0)),
            ("cpu_us_per_rpc", .number((user + system) * 1e6 / count, digits: 3)),
            ("user_us_per_rpc", .number(user * 1e6 / count, digits: 3)),
            ("sys_us_per_rpc", .number(system * 1e6 / count, digits: 3)),
            ("max_rss_kb", .number(Double(after.peakKilobytes), digits: 0)),
            ("bytes_per_s", .number(0, digits: 0)), ("errors", .number(0, digits: 0)),
            ("bytes_per_stream", .number(Double(figures.grown) / count, digits: 0)),
            ("bytes_per_stream_trimmed", .number(Double(figures.trimmed) / count, digits: 0)),
            ("base_rss_kb", .number(Double(figures.before) / 1_024, digits: 0)),
        ]).text
    }
}

// MARK: - Opening

extension ClientScale.Held {
    /// Opens a stream, with one round trip on it.
    fileprivate mutating func addStream(of channel: Channel, _ methods: ClientMethods) async throws
    {
        let call = try await channel.bidirectional(methods.stream)
        try await call.requests.write(methods.request)
        var iterator = call.responses.makeAsyncIterator()
        guard let reply = try await iterator.next() else {
            throw RPCError(.dataLoss, "a stream ended")
        }
        try methods.check(reply)
        streams.append(call)
        iterators.append(iterator)
    }

    /// Connects a channel, with one call.
    fileprivate mutating func add(_ channel: Channel, _ methods: ClientMethods) async throws {
        try methods.check(try await channel.unary(methods.unary, methods.request))
        channels.append(channel)
    }
}
