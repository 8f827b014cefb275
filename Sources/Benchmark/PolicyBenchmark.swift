import Foundation
import Swiftlet
import SwiftletBalancing
import Synchronization

/// Measures the costs that balancing policies and a retry policy add to a unary call. All endpoints are names
/// of one socket, on which a server in another process listens, so that only the client's work is counted.
enum PolicyBenchmark {
    private struct Variant: Sendable {
        var name: String
        var endpointCount = 1
        var note = ""
        var config = ServiceConfig()
    }

    /// A channel, and the queue whose thread makes its calls.
    private struct Client {
        let variant: Variant
        let queue: CompletionQueue
        let channel: Channel
    }

    private static let unary = Method<[UInt8], [UInt8]>(
        "/grpc.testing.BenchmarkService/UnaryCall", .unary, request: .bytes, reply: .bytes)
    private static let hashHeader = "x-user"
    private static let roundCount = 15

    private static let variants = [
        Variant(name: "pick_first"),
        Variant(
            name: "pick_first+retry", note: "a retry policy that never retries",
            config: neverRetrying),
        Variant(name: "round_robin-1", config: ServiceConfig(balancing: RoundRobin())),
        Variant(
            name: "round_robin-10", endpointCount: 10,
            config: ServiceConfig(balancing: RoundRobin())),
        Variant(
            name: "round_robin-1000", endpointCount: 1_000,
            config: ServiceConfig(balancing: RoundRobin())),
        Variant(
            name: "ring_hash-10", endpointCount: 10,
            note: "the call has a header",
            config: ServiceConfig(balancing: RingHash(requestHashHeader: hashHeader))),
    ]

    private static var neverRetrying: ServiceConfig {
        var config = ServiceConfig()
        config.methods = [
            MethodConfig([.all]) {
                $0.retry = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
            }
        ]
        return config
    }

    static func run(_ report: inout Report) async {
        do {
            let sockets = try ManyNames(count: variants.map(\.endpointCount).max() ?? 1)
            defer { sockets.remove() }
            try Resolvers.register("names") { target in
                sockets.resolver(endpointCount: Int(target.path.drop { $0 == "/" }) ?? 1)
            }
            // Allocations are counted before times are measured: an open counter slows each allocation.
            var allocations: [Double?] = []
            for variant in variants { allocations.append(try await self.allocations(of: variant)) }
            let times = [try await time(concurrency: 1), try await time(concurrency: 100)]
            for (concurrency, times) in zip([1, 100], times) {
                for (index, variant) in variants.enumerated() {
                    let count = allocations[index].map { String(format: "%.1f allocations", $0) }
                    let note = [count ?? "allocations cannot be counted here", variant.note]
                    report.add(
                        "\(variant.name)/\(concurrency)", times[index], "ns",
                        ratio: times[index] / times[0],
                        note: note.filter { !$0.isEmpty }.joined(separator: "; "))
                }
            }
        } catch {
            giveUp("policies: \(error)")
        }
    }

    /// The processor time of a call in nanoseconds, by variant: medians of rounds, each of which
    /// measures every variant.
    private static func time(concurrency: Int) async throws -> [Double] {
        var clients: [Client] = []
        for variant in variants { clients.append(try await connected(variant)) }
        var rounds = [[Double]](repeating: [], count: clients.count)
        let callCount = concurrency == 1 ? 1_000 : 20_000
        for _ in 0..<roundCount {
            for (index, client) in clients.enumerated() {
                let begin = clock()
                try await calls(callCount, concurrency, on: client)
                let microseconds = Double(clock() - begin) * 1e6 / Double(CLOCKS_PER_SEC)
                rounds[index].append(microseconds * 1_000 / Double(callCount))
            }
        }
        for client in clients {
            await client.channel.close()
            client.queue.shutdown()
        }
        return rounds.map { $0.sorted()[$0.count / 2] }
    }

    /// The allocations of a call; nil if the kernel does not let this process count them.
    private static func allocations(of variant: Variant) async throws -> Double? {
        // Started before the thread whose allocations are counted.
        let counter = KernelCounter.allocations()
        defer { counter?.close() }
        let client = try await connected(variant)
        let before = counter?.count
        try await calls(1_000, 1, on: client)
        let after = counter?.count
        await client.channel.close()
        client.queue.shutdown()
        guard let before, let after else { return nil }
        return Double(after - before) / 1_000
    }

    /// Makes a client whose connections are open.
    private static func connected(_ variant: Variant) async throws -> Client {
        let queue = try CompletionQueue()
        var arguments = ChannelArguments()
        arguments.serviceConfig = variant.config
        let channel = try Channel(
            "names:///\(variant.endpointCount)", credentials: .insecure, arguments: arguments,
            queue: queue)
        let client = Client(variant: variant, queue: queue, channel: channel)
        // More than one call for each endpoint, so that ring_hash connects all of them, too.
        try await calls(variant.endpointCount * 10 + 1_000, 100, on: client)
        return client
    }

    private static func calls(_ count: Int, _ concurrency: Int, on client: Client) async throws {
        let channel = client.channel
        try await withTaskExecutorPreference(client.queue) {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<concurrency {
                    group.addTask {
                        let options = CallOptions.with {
                            guard client.variant.config.balancing is RingHash else { return }
                            $0.metadata[hashHeader] = "user \(task)"
                        }
                        for _ in 0..<count / concurrency {
                            blackHole(try await channel.unary(unary, [], options: options))
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }
}

/// One server with one socket, and many names of that socket. Each name is an endpoint of the channel.
private final class ManyNames: Sendable {
    private let server: Mutex<ServerProcess>
    private let folder: URL
    private let endpoints: [Endpoint]

    init(count: Int) throws {
        let files = FileManager.default
        folder = files.temporaryDirectory.appendingPathComponent("swiftlet-\(getpid())")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        let socket = folder.appendingPathComponent("s")
        server = Mutex(try ServerProcess(path: socket.path))
        var endpoints: [Endpoint] = []
        for number in 0..<count {
            let name = folder.appendingPathComponent("\(number)")
            try files.createSymbolicLink(at: name, withDestinationURL: socket)
            endpoints.append(Endpoint([try ServerAddress("unix:" + name.path)]))
        }
        self.endpoints = endpoints
    }

    func resolver(endpointCount: Int) -> any Resolver {
        Fixed(endpoints: Array(endpoints.prefix(endpointCount)))
    }

    func remove() {
        do {
            try FileManager.default.removeItem(at: folder)
        } catch {
            say("policies: \(error)")
        }
    }

    private struct Fixed: Resolver {
        let endpoints: [Endpoint]

        func start(_ results: ResolverResults) { results.report(ResolverResult(endpoints)) }
        func requestResolution() {}
        func stop() {}
    }
}
