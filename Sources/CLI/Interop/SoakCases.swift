import Swiftlet
import Synchronization

/// The flags of `rpc_soak` and `channel_soak`, with the names of the description.
struct SoakSettings: Sendable {
    var iterations = 10
    var maxFailures = 0
    var maxLatency = Duration.seconds(1)
    var minTimeBetweenCalls = Duration.zero
    var overallTimeout = Duration.seconds(10)
    var requestSize = 271_828
    var responseSize = 314_159
    var threads = 1

    /// The count of iterations of each thread. The counts differ by at most one. Threads without
    /// iterations are not listed.
    var shares: [Int] {
        let count = max(1, min(threads, iterations))
        let (each, rest) = iterations.quotientAndRemainder(dividingBy: count)
        return (0..<count).map { $0 < rest ? each + 1 : each }
    }
}

extension InteropCase {
    /// Cases that repeat one call.
    static let soaks = [
        InteropCase("rpc_soak") { server in
            try await server.withChannel { client in
                try await Soak(server.settings.soak).run { try await $0(client) }
            }
        },
        InteropCase("channel_soak") { server in
            try await Soak(server.settings.soak).run { call in
                try await server.withChannel { client in try await call(client) }
            }
        },
    ]
}

/// Counts the calls that succeed, fail, or exceed the latency limit.
private struct Soak: Sendable {
    typealias Call = @Sendable (TestServiceClient) async throws -> Void

    private let settings: SoakSettings
    private let deadline: Deadline

    init(_ settings: SoakSettings) {
        self.settings = settings
        deadline = .after(settings.overallTimeout)
    }

    /// - Parameter attempt: Chooses the client, and calls the passed function with it.
    func run(_ attempt: @escaping @Sendable (@escaping Call) async throws -> Void) async throws {
        let total = try await withThrowingTaskGroup(of: Tally.self) { group in
            for count in settings.shares { group.addTask { try await worker(count, attempt) } }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
        guard total.done > 0, total.done == settings.iterations else {
            throw CaseFailure(
                reason: "only \(total.done) of \(settings.iterations) calls ended within "
                    + "\(settings.overallTimeout)")
        }
        let bad = total.failures + total.tooSlow
        guard bad <= settings.maxFailures else {
            throw CaseFailure(
                reason: "\(total.failures) calls failed and \(total.tooSlow) took longer than "
                    + "\(settings.maxLatency); at most \(settings.maxFailures) calls may fail or be late. "
                    + (total.lastError ?? ""))
        }
    }

    private struct Tally: Sendable {
        var done = 0
        var failures = 0
        var tooSlow = 0
        var lastError: String?

        mutating func add(_ other: Tally) {
            done += other.done
            failures += other.failures
            tooSlow += other.tooSlow
            lastError = other.lastError ?? lastError
        }
    }

    private func worker(
        _ count: Int, _ attempt: @Sendable (@escaping Call) async throws -> Void
    ) async throws -> Tally {
        var tally = Tally()
        while tally.done < count, deadline.remaining != .zero {
            let start = ContinuousClock.now
            do {
                try await attempt { client in
                    let request = TestServiceClient.SimpleRequest.sized(
                        out: settings.requestSize, back: settings.responseSize)
                    let response = try await client.unary(request) {
                        $0.absoluteDeadline = deadline
                    }
                    try response.message.check("soak", byteCount: settings.responseSize)
                }
                if start.duration(to: .now) > settings.maxLatency { tally.tooSlow += 1 }
            } catch {
                tally.failures += 1
                tally.lastError = (error as? CaseFailure)?.reason ?? "\(error)"
            }
            tally.done += 1
            if tally.done < count { try await rest(since: start) }
        }
        return tally
    }

    /// Waits for the minimum time between two calls, but not beyond the overall timeout.
    private func rest(since start: ContinuousClock.Instant) async throws {
        let left = settings.minTimeBetweenCalls - start.duration(to: .now)
        try await Task.sleep(for: min(left, deadline.remaining ?? left))
    }
}
