import Swiftlet

/// What tasks saw that sent calls, one after the other, for some time.
struct Load: Encodable {
    private(set) var calls = 0
    /// How many calls failed with each error.
    private(set) var failures: [String: Int] = [:]
    /// How long the slowest call took, in seconds.
    private(set) var slowest = 0.0

    init(
        _ method: Method<[UInt8], [UInt8]>, _ body: [UInt8], on channel: Channel,
        options: CallOptions, count: Int, onQueue: Bool, for time: Duration
    ) async throws {
        let executor: (any TaskExecutor)? = onQueue ? try CompletionQueue.shared : nil
        let end = ContinuousClock.now + time
        self = await withTaskGroup(of: Load.self, returning: Load.self) { group in
            for _ in 0..<count {
                group.addTask(executorPreference: executor) {
                    var load = Load()
                    while await load.send(method, body, on: channel, options: options) < end {}
                    return load
                }
            }
            return await group.reduce(into: Load()) { $0.add($1) }
        }
    }

    private init() {}

    /// Sends one call. Returns when it ended.
    private mutating func send(
        _ method: Method<[UInt8], [UInt8]>, _ body: [UInt8], on channel: Channel,
        options: CallOptions
    ) async -> ContinuousClock.Instant {
        let start = ContinuousClock.now
        do throws(RPCError) {
            _ = try await channel.unary(method, body, options: options)
        } catch {
            failures["\(error)", default: 0] += 1
        }
        let end = ContinuousClock.now
        calls += 1
        slowest = max(slowest, (end - start) / .seconds(1))
        return end
    }

    private mutating func add(_ other: Load) {
        calls += other.calls
        failures.merge(other.failures, uniquingKeysWith: +)
        slowest = max(slowest, other.slowest)
    }
}
