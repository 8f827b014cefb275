import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The resolver of a name", .timeLimit(.minutes(5)))
struct DNSResolverTests {
    @Test("tries again after a failure, which it reports only before its first answer")
    func failures() async throws {
        let failure = NameLookup.Failure(host: "a.test", reason: "busy", isTemporary: true)
        let script: [NameLookups.Answer] = [
            .failure(failure), .success([.ipv4Loopback(port: 0)]), .failure(failure),
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
}
