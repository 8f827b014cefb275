import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

@Suite("The resolver of a name", .timeLimit(.minutes(5)))
struct DNSResolverTests {
    private static let failure = NameLookup.Failure(
        host: "a.test", reason: "busy")

    @Test("tries again after a failure, and reports failures only before its first answer")
    func failures() async throws {
        let script: [NameLookups.Answer] = [
            .failure(Self.failure), .success([.ipv4Loopback(port: 0)]), .failure(Self.failure),
            .success([.ipv4Loopback(port: 0)]),
        ]
        let count = Mutex(0)
        let lookups = NameLookups(maxThreadCount: 1) { _ in
            let number = count.withLock { count in
                defer { count += 1 }
                return count
            }
            return script[min(number, script.count - 1)]
        }
        var arguments = ChannelArguments()
        arguments.minResolutionInterval = .zero
        arguments.initialReconnectBackoff = .milliseconds(1)
        arguments.maxReconnectBackoff = .milliseconds(1)
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let resolver = DNSResolver(
            host: "a.test", port: 80, arguments: arguments, loop: queue.loop, lookups: lookups)
        let results = Mutex<[String]>([])
        resolver.start(
            ResolverResults { result in
                let text =
                    switch result.endpoints {
                    case .success(let endpoints): endpoints.map(\.description).joined()
                    case .failure(let error):
                        "\(error.code), executed: \(error.mayHaveBeenExecuted)"
                    }
                results.withLock { $0.append(text) }
            })
        try await eventually { results.withLock { $0.count } == 2 }
        resolver.requestResolution()
        try await eventually { results.withLock { $0.count } == 3 }
        resolver.stop()
        #expect(
            results.withLock { $0 } == [
                "UNAVAILABLE, executed: false", "127.0.0.1:80", "127.0.0.1:80",
            ])
        #expect(count.withLock { $0 } == 4)
    }

    private static func resolver(
        _ queue: CompletionQueue, _ lookups: NameLookups, _ configLookup: ConfigLookup? = nil
    ) -> DNSResolver {
        var arguments = ChannelArguments()
        arguments.minResolutionInterval = .zero
        // Longer than the test. So no timer of a stopped resolver may keep the resolver alive.
        arguments.initialReconnectBackoff = .seconds(3_600)
        arguments.maxReconnectBackoff = .seconds(3_600)
        arguments.connectTimeout = .seconds(3_600)
        return DNSResolver(
            host: "a.test", port: 80, arguments: arguments, loop: queue.loop, lookups: lookups,
            configLookup: configLookup)
    }

    @Test("looks the name up at once when the network is back, even during a long delay")
    func networkIsBack() async throws {
        let lookups = NameLookups(maxThreadCount: 1) { _ in .failure(Self.failure) }
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let resolver = Self.resolver(queue, lookups)
        let count = Atomic(0)
        resolver.start(ResolverResults { _ in count.add(1, ordering: .relaxed) })
        for number in 1...3 {
            try await eventually { count.load(ordering: .relaxed) == number }
            resolver.resetBackoff()
        }
        resolver.stop()
    }

    @Test("does not use the config of a failed look-up for the next one")
    func lateConfig() async throws {
        let gate = BlockingGate()
        defer { gate.open() }
        let firstQuery = Mutex<[UInt8]?>(nil)
        let nameServer = try FakeNameServer { query, _ in
            // A query is sent again if its answer takes long.
            let isFirst = firstQuery.withLock { first in
                first = first ?? query
                return first == query
            }
            if isFirst { gate.wait() }
            let service = isFirst ? "first" : "second"
            let config = #"{"healthCheckConfig":{"serviceName":"\#(service)"}}"#
            return [
                DNSMessages.answer(
                    to: query, texts: [#"grpc_config=[{"serviceConfig":\#(config)}]"#])
            ]
        }
        defer { nameServer.stop() }
        let configLookup = ConfigLookup(
            host: "a.test", servers: NameServers([nameServer.address]), timeLimit: .seconds(60))
        let hasFailed = Atomic(false)
        let lookups = NameLookups(maxThreadCount: 1) { _ in
            hasFailed.exchange(true, ordering: .relaxed)
                ? .success([.ipv4Loopback(port: 0)]) : .failure(Self.failure)
        }
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let resolver = Self.resolver(queue, lookups, configLookup)
        let results = Mutex<[String]>([])
        resolver.start(
            ResolverResults { result in
                let config = try? result.serviceConfig?.get()
                results.withLock { $0.append(config?.healthCheckServiceName ?? "no config") }
            })
        try await eventually {
            results.withLock { $0.count } == 1 && firstQuery.withLock { $0 != nil }
        }
        resolver.resetBackoff()
        gate.open()
        try await eventually { results.withLock { $0.count } == 2 }
        resolver.stop()
        #expect(results.withLock { $0 } == ["no config", "second"])
    }

    /// Waits until the thread of the look-ups has delivered the earlier answers.
    private static func settle(_ lookups: NameLookups) async throws {
        let isDone = Mutex(false)
        _ = lookups.lookUp("last.test") { _ in isDone.withLock { $0 = true } }
        try await eventually { isDone.withLock { $0 } }
    }

    @Test("delivers nothing after its stop, and makes no look-up")
    func stopped() async throws {
        let names = Mutex<[String]>([])
        let lookups = NameLookups(maxThreadCount: 1) { host in
            names.withLock { $0.append(host) }
            return .success([.ipv4Loopback(port: 0)])
        }
        let queue = try CompletionQueue(.byHand)
        let resolver = Self.resolver(queue, lookups)
        resolver.start(ResolverResults { _ in Issue.record("a result after the stop") })
        // The answer waits for the loop when the resolver stops.
        try await Self.settle(lookups)
        resolver.stop()
        try await onThread { _ = try queue.next(deadline: .after(.zero)) }
        resolver.requestResolution()
        resolver.resetBackoff()
        try await Self.settle(lookups)
        #expect(names.withLock { $0 } == ["a.test", "last.test", "last.test"])
        queue.shutdown()
    }

    @Test("is released after its stop, while a look-up hangs and while it waits after a failure")
    func released() async throws {
        let gate = BlockingGate()
        defer { gate.open() }
        let hanging = NameLookups(maxThreadCount: 1) { _ in
            gate.wait()
            return .failure(Self.failure)
        }
        let failing = NameLookups(maxThreadCount: 1) { _ in .failure(Self.failure) }
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        for (lookups, resultCount) in [(hanging, 0), (failing, 1)] {
            let count = Atomic(0)
            weak var released: DNSResolver?
            do {
                let resolver = Self.resolver(queue, lookups)
                released = resolver
                resolver.start(ResolverResults { _ in count.add(1, ordering: .relaxed) })
                try await eventually { count.load(ordering: .relaxed) == resultCount }
                resolver.stop()
            }
            try await eventually { released == nil }
        }
    }
}
