import Swiftlet
import Synchronization

/// The flags of `rpc_soak` and `channel_soak`, by the names of the description.
struct SoakSettings: Sendable {
    var iterations = 10
    var maxFailures = 0
    var maxLatency = Duration.seconds(1)
    var minTimeBetweenCalls = Duration.zero
    var overallTimeout = Duration.seconds(10)
    var requestSize = 271_828
    var responseSize = 314_159
    var threads = 1
}

extension InteropCase {
    /// The same call over and over.
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

/// Counts what goes well, what fails and what takes too long.
private struct Soak: Sendable {
    typealias Call = @Sendable (TestServiceClient) async throws -> Void

    private let settings: SoakSettings
    private let deadline: Deadline

    init(_ settings: SoakSettings) {
        self.settings = settings
        deadline = .after(settings.overallTimeout)
    }

    /// - Parameter attempt: Makes the call that it is given, on a client of its choice.
    func run(_ attempt: @escaping @Sendable (@escaping Call) async throws -> Void) async throws {
        let perThread = settings.iterations / max(1, settings.threads)
        let total = try await withThrowingTaskGroup(of: Tally.self) { group in
            for _ in 0..<max(1, settings.threads) {
                group.addTask { try await worker(perThread, attempt) }
            }
            return try await group.reduce(into: Tally()) { $0.add($1) }
        }
        let expected = perThread * max(1, settings.threads)
        guard total.done == expected else {
            throw CaseFailure(
                reason: "\(total.done) of \(expected) calls within \(settings.overallTimeout)")
        }
        let bad = total.failures + total.tooSlow
        guard bad <= settings.maxFailures else {
            throw CaseFailure(
                reason: "\(total.failures) calls failed and \(total.tooSlow) took longer than "
                    + "\(settings.maxLatency); \(settings.maxFailures) may. "
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
            try await Task.sleep(until: start + settings.minTimeBetweenCalls)
        }
        return tally
    }
}
