import Foundation
import Swiftlet
import Synchronization

/// Makes puts, a watch and a lease on an etcd cluster whose members fail: `swiftlet-etcd SECONDS MEMBER…`.
///
/// The members are the endpoints of a resolver of the program. Each writer puts the numbers 1, 2, 3, … to
/// its own key, and repeats a put that failed. The watch must receive every number. The numbers must
/// arrive for the first time in this order, and the revisions must arrive in order. When the watch's call
/// fails, it resumes after the last revision.
@main
struct EtcdProgram {
    private static let writerCount = 20

    static func main() async {
        do {
            var words = CommandLine.arguments.dropFirst()
            guard let seconds = words.popFirst().flatMap({ Double($0) }), !words.isEmpty else {
                throw Failure("usage: swiftlet-etcd SECONDS MEMBER…")
            }
            let channel = try channel(to: try words.map { Endpoint([try ServerAddress($0)]) })
            print(try await run(on: channel, for: .seconds(seconds)))
            await channel.close()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func channel(to members: [Endpoint]) throws(RPCError) -> Channel {
        try Resolvers.register("members") { _ in Members(endpoints: members) }
        var config = ServiceConfig(balancing: RoundRobin())
        config.methods = [
            MethodConfig([.service("etcdserverpb.KV")]) {
                $0.retry = RetryPolicy(maxAttempts: 5, retryableCodes: [.unavailable])
                $0.timeout = .seconds(5)
            },
            MethodConfig([.service("etcdserverpb.Lease")]) { $0.timeout = .seconds(2) },
            MethodConfig([.all]) { $0.waitForReady = true },
        ]
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        arguments.initialReconnectBackoff = .milliseconds(100)
        arguments.maxReconnectBackoff = .seconds(1)
        // The call of the watch has no deadline: keep-alive detects that its member is frozen.
        arguments.keepAliveInterval = .seconds(10)
        arguments.keepAliveTimeout = .seconds(2)
        return try Channel("members:///cluster", credentials: .insecure, arguments: arguments)
    }

    private static func run(on channel: Channel, for duration: Duration) async throws -> String {
        let tally = Tally()
        let end = ContinuousClock.now + duration
        // The watch begins before the first put.
        let (start, began) = AsyncStream.makeStream(of: Void.self)
        let watch = Task { await self.watch(channel, tally, began) }
        for await _ in start { break }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<writerCount {
                group.addTask { await write(writer, channel, tally, until: end) }
            }
            group.addTask { try await keepLease(channel, tally, until: end) }
            try await group.waitForAll()
        }
        for _ in 0..<300 where !tally.hasSeenAll { try await Task.sleep(for: .milliseconds(100)) }
        watch.cancel()
        return try tally.result()
    }

    private static func write(
        _ writer: Int, _ channel: Channel, _ tally: Tally, until end: ContinuousClock.Instant
    ) async {
        let key = "writer \(writer)"
        var number = 1
        while ContinuousClock.now < end {
            do {
                let request = Etcd.PutRequest.with {
                    $0.key = Array(key.utf8)
                    $0.value = Array("\(number)".utf8)
                }
                _ = try await channel.unary(Etcd.put, request)
                tally.wasPut(number, at: key)
                number += 1
            } catch {
                tally.failed("put", error)
            }
        }
    }

    /// Watches all keys of the writers until its task is cancelled.
    private static func watch(
        _ channel: Channel, _ tally: Tally, _ began: AsyncStream<Void>.Continuation
    ) async {
        defer { began.finish() }
        while !Task.isCancelled {
            do {
                try await channel.bidirectional(Etcd.watch) { requests, responses in
                    try await requests.write(
                        .with {
                            $0.create = .with {
                                $0.key = Array("writer ".utf8)
                                $0.rangeEnd = Array("writer!".utf8)
                                $0.startRevision = tally.nextRevision
                            }
                        })
                    for try await response in responses {
                        guard !response.isCanceled else {
                            throw Failure("the watch was cancelled: \(response.cancelReason)")
                        }
                        began.finish()
                        for event in response.events { tally.wasSeen(event.keyValue ?? .init()) }
                    }
                }
            } catch let error as RPCError {
                if error.code != .cancelled { tally.failed("watch", error) }
            } catch {
                return tally.wentWrong("\(error)")
            }
        }
    }

    /// Keeps a lease alive: makes a call every second, which sends one request and then ends its requests.
    private static func keepLease(
        _ channel: Channel, _ tally: Tally, until end: ContinuousClock.Instant
    ) async throws {
        let lease = try await channel.unary(
            Etcd.leaseGrant, .with { $0.timeToLive = 60 }, options: .with { $0.timeout = nil })
        while ContinuousClock.now < end {
            do {
                let times = try await channel.bidirectional(Etcd.leaseKeepAlive) { requests in
                    try await requests.write(.with { $0.id = lease.id })
                } responses: { responses in
                    var times: [Int64] = []
                    for try await response in responses { times.append(response.timeToLive) }
                    return times
                }
                guard times == [60] else { throw Failure("the lease is kept for \(times) s") }
                tally.keptLease()
            } catch let error as RPCError {
                tally.failed("lease", error)
            }
            try await Task.sleep(for: .seconds(1))
        }
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// The members of the cluster, which do not change.
private struct Members: Resolver {
    let endpoints: [Endpoint]

    func start(_ results: ResolverResults) { results.report(ResolverResult(endpoints)) }
    func requestResolution() {}
    func stop() {}
}

/// The numbers that were put, and the numbers that the watch received.
private final class Tally: Sendable {
    private struct State {
        var put: [String: Int] = [:]
        var seen: [String: Int] = [:]
        var repeatedCount = 0
        var leaseCount = 0
        var mistakes: [String] = []
        var failures: [String: Int] = [:]
        var nextRevision: Int64 = 1
    }

    private let state = Mutex(State())

    var nextRevision: Int64 { state.withLock { $0.nextRevision } }
    var hasSeenAll: Bool {
        state.withLock { state in
            state.put.allSatisfy { state.seen[$0.key, default: 0] >= $0.value }
        }
    }

    func wasPut(_ number: Int, at key: String) { state.withLock { $0.put[key] = number } }
    func wentWrong(_ what: String) { state.withLock { $0.mistakes.append(what) } }
    func keptLease() { state.withLock { $0.leaseCount += 1 } }

    func failed(_ what: String, _ error: RPCError) {
        state.withLock { $0.failures["\(what): \(error.code): \(error.message)", default: 0] += 1 }
    }

    func wasSeen(_ event: Etcd.KeyValue) {
        let key = String(decoding: event.key, as: UTF8.self)
        let number = Int(String(decoding: event.value, as: UTF8.self)) ?? -1
        state.withLock { state in
            let last = state.seen[key, default: 0]
            // A put that failed at the client may be executed later, when a frozen member resumes.
            if number <= last { state.repeatedCount += 1 }
            if number > last + 1 { state.mistakes.append("\(key): \(number) after \(last)") }
            if event.modRevision < state.nextRevision - 1 {
                state.mistakes.append("\(key): revision \(event.modRevision) came late")
            }
            state.seen[key] = max(number, last)
            state.nextRevision = max(state.nextRevision, event.modRevision + 1)
        }
    }

    func result() throws(Failure) -> String {
        let state = state.withLock { $0 }
        let failures = state.failures.sorted { $0.key < $1.key }.map { "  \($0.value) × \($0.key)" }
        let text = """
            \(state.put.values.reduce(0, +)) puts, \(state.repeatedCount) seen again, the lease kept \
            \(state.leaseCount) times
            \(failures.joined(separator: "\n"))
            """
        guard state.mistakes.isEmpty else {
            throw Failure(text + "\nwrong: " + state.mistakes.prefix(5).joined(separator: "; "))
        }
        for (key, number) in state.put where state.seen[key, default: 0] < number {
            throw Failure(text + "\nnot seen: \(key) from \(state.seen[key] ?? 0) to \(number)")
        }
        guard state.leaseCount > 0, !state.put.isEmpty else {
            throw Failure(text + "\nnothing was done")
        }
        return text
    }
}
