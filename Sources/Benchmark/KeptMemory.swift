import Swiftlet
import SwiftletBalancing
import SwiftletInterceptors
import SwiftletJSONRPC
import SwiftletObservation
import SwiftletServices
import SwiftletStyles
import Synchronization

/// Checks that ended calls and closed channels release their memory. Each kind of call is made with each kind
/// of end, on channels with each feature that adds objects to a call or to a channel. Fails if the resident
/// memory grows with the number of calls or channels.
enum KeptMemory {
    private final class Forwarding: Interceptor {}

    private struct Feature: Sendable {
        var name: String
        var arguments = ChannelArguments()
        var interceptors: [ChannelInterceptor] = []
    }

    /// A kind of call, which ends before the closure returns.
    private struct Kind: Sendable {
        var name: String
        var code = StatusCode.ok
        var make: @Sendable (Channel) async throws -> Void
    }

    private static let methods = ClientMethods(ClientArguments())
    private static let unknown = Method<ClientMethods.Request, ClientMethods.Reply>(
        "/grpc.testing.BenchmarkService/NoSuchMethod", .unary)

    private static let withContent = ClientMethods.Request.with {
        $0.payload = GRPC.Testing.Payload(body: [UInt8](repeating: 0x78, count: 1_024))
    }

    /// The most bytes that an ended call may leave allocated. Allocators request pages in groups, so a
    /// smaller growth proves nothing. A call that is not released leaves more.
    private static let byteLimit = 1_000.0
    private static let callCount = 1_500
    private static let concurrency = 20
    private static let channelCount = 300
    /// The most bytes that a closed channel may leave allocated. A channel that is not released leaves far
    /// more.
    private static let channelByteLimit = 5_000.0

    static func run(_ report: inout Report) async {
        do {
            let server = try ServerProcess()
            var growing: [String] = []
            for feature in features {
                for kind in kinds {
                    let name = "\(kind.name)/\(feature.name)"
                    let byteCount = try await keptByteCount(kind, feature, server.target)
                    report.add(name, byteCount, "bytes a call")
                    if byteCount > byteLimit { growing.append(name) }
                }
            }
            for feature in features + channelFeatures {
                let name = "channel/\(feature.name)"
                let byteCount = try await growth(of: channelCount) { count in
                    try await channels(count, with: feature, server.target)
                }
                report.add(name, byteCount, "bytes a channel")
                if byteCount > channelByteLimit { growing.append(name) }
            }
            if !growing.isEmpty { giveUp("kept: memory grows: \(growing.joined(separator: ", "))") }
        } catch {
            giveUp("kept: \(error)")
        }
    }

    /// The bytes that a call of the kind leaves allocated.
    private static func keptByteCount(
        _ kind: Kind, _ feature: Feature, _ target: String
    ) async throws -> Double {
        let channel = try Channel(
            target, credentials: .insecure, arguments: feature.arguments,
            interceptors: feature.interceptors)
        let byteCount = try await growth(of: callCount) { count in
            try await calls(count, kind, on: channel)
        }
        await channel.close()
        return byteCount
    }

    /// The growth of the resident memory in bytes, for each of the `count` calls or channels of `make`.
    private static func growth(
        of count: Int, _ make: (_ count: Int) async throws -> Void
    ) async throws -> Double {
        func residentByteCount() throws -> Int {
            guard let byteCount = AllocationCount.residentByteCount else {
                throw Failure("the memory of this process cannot be read here")
            }
            return byteCount
        }
        // Warms up: the channel and the allocators then have all memory that they keep for reuse.
        try await make(count / 3)
        let before = try residentByteCount()
        try await make(count)
        AllocationCount.giveBackFreeMemory()
        return max(0, Double(try residentByteCount() - before)) / Double(count)
    }

    /// Makes channels, one after the other. Each makes a call and is closed.
    private static func channels(
        _ count: Int, with feature: Feature, _ target: String
    ) async throws {
        for _ in 0..<count {
            let channel = try Channel(
                target, credentials: .insecure, arguments: feature.arguments,
                interceptors: feature.interceptors)
            blackHole(try await channel.unary(methods.unary, methods.request))
            await channel.close()
        }
    }

    private static func calls(_ count: Int, _ kind: Kind, on channel: Channel) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<concurrency {
                group.addTask {
                    for _ in 0..<count / concurrency { try await make(kind, on: channel) }
                }
            }
            try await group.waitForAll()
        }
    }

    private static func make(_ kind: Kind, on channel: Channel) async throws {
        do {
            try await kind.make(channel)
            guard kind.code == .ok else { throw Failure("\(kind.name) ended with OK") }
        } catch let error as RPCError where error.code == kind.code {
        } catch let error as RPCError {
            throw Failure("\(kind.name) ended with \(error.description)")
        }
    }
}

// MARK: - Combinations

extension KeptMemory {
    private static var features: [Feature] {
        var metrics = ChannelArguments()
        metrics.metricSinks = [MetricTotals()]
        let forwarding = InterceptorFactory("forwarding") { _ in Forwarding() }
        return [
            Feature(name: "plain"),
            Feature(name: "metrics", arguments: metrics),
            Feature(name: "interceptor", interceptors: [.all(forwarding)]),
            Feature(
                name: "retry",
                arguments: policy(
                    .retry(RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])))),
            Feature(name: "retried", arguments: policy(.retry(retryingAll))),
            Feature(name: "hedging", arguments: policy(.hedging(HedgingPolicy(maxAttempts: 2)))),
        ]
    }

    /// Features that add objects to a channel, but not to its calls.
    private static var channelFeatures: [Feature] {
        var balanced = ChannelArguments()
        balanced.serviceConfig = ServiceConfig(
            balancing: OutlierDetection(policy: RoundRobin()))
        var timers = ChannelArguments()
        timers.keepAliveInterval = .seconds(10)
        timers.idleTimeout = .seconds(60)
        return [
            Feature(name: "balanced", arguments: balanced),
            Feature(name: "timers", arguments: timers),
        ]
    }

    /// Retries UNIMPLEMENTED, with which the calls of the kind `unimplemented` end.
    private static var retryingAll: RetryPolicy {
        var policy = RetryPolicy(maxAttempts: 3, retryableCodes: [.unimplemented])
        policy.initialBackoff = .milliseconds(1)
        policy.maxBackoff = .milliseconds(1)
        return policy
    }

    private static func policy(_ attempts: MethodConfig.Attempts) -> ChannelArguments {
        var config = ServiceConfig()
        config.methods = [MethodConfig([.all]) { $0.attempts = attempts }]
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        return arguments
    }

    private static let kinds = [
        Kind(name: "unary") { channel in
            blackHole(try await channel.unary(methods.unary, methods.request))
        },
        Kind(name: "unimplemented", code: .unimplemented) { channel in
            blackHole(try await channel.unary(unknown, methods.request))
        },
        Kind(name: "server-stream") { channel in
            let three = CallOptions.with { $0.metadata["x-count"] = "3" }
            let replies = try await channel.serverStreaming(
                methods.fromServer, methods.request, options: three)
            for try await reply in replies { blackHole(reply) }
        },
        Kind(name: "server-stream-left") { channel in
            // Large responses, so that only a few fit into the receive window.
            let large = ClientMethods.Request.with { $0.responseSize = 16 << 10 }
            let replies = try await channel.serverStreaming(methods.fromServer, large)
            for try await reply in replies {
                blackHole(reply)
                break
            }
            replies.cancel()
        },
        Kind(name: "client-stream") { channel in
            let reply = try await channel.clientStreaming(methods.fromClient) { writer in
                for _ in 0..<3 { try await writer.write(methods.request) }
            }
            blackHole(reply)
        },
        Kind(name: "bidirectional") { channel in
            try await channel.bidirectional(methods.stream) { writer, replies in
                try await writer.write(methods.request)
                writer.finish()
                for try await reply in replies { blackHole(reply) }
            }
        },
        Kind(name: "deadline", code: .deadlineExceeded) { channel in
            let options = CallOptions.with { $0.timeout = .milliseconds(2) }
            // A server closes a connection on which it receives almost only RST_STREAM, and this deadline may
            // pass before the request is sent. So each call follows one that the server completes.
            blackHole(try await channel.unary(methods.unary, methods.request))
            try await channel.bidirectional(methods.stream, options: options) { writer, replies in
                try await writer.write(withContent)
                for try await reply in replies { blackHole(reply) }
            }
        },
        Kind(name: "cancelled", code: .cancelled) { channel in
            try await withThrowingTaskGroup(of: Void.self) { group in
                let (answered, answer) = AsyncStream.makeStream(of: Void.self)
                group.addTask {
                    defer { answer.finish() }
                    try await channel.bidirectional(methods.stream) { writer, replies in
                        try await writer.write(withContent)
                        for try await reply in replies {
                            blackHole(reply)
                            answer.finish()
                        }
                    }
                }
                // Not earlier: the server must receive the content before the RST_STREAM.
                for await _ in answered {}
                group.cancelAll()
                try await group.waitForAll()
            }
        },
        Kind(name: "http") { channel in
            blackHole(try await channel.request(.get, "/nothing"))
        },
        Kind(name: "handlers") { channel in
            try await withCheckedThrowingContinuation {
                (ended: CheckedContinuation<Void, any Error>) in
                do {
                    _ = try channel.startUnary(methods.unary, methods.request) { result in
                        ended.resume(with: result.map { _ in }.mapError { $0 })
                    }
                } catch {
                    ended.resume(throwing: error)
                }
            }
        },
        Kind(name: "future") { channel in
            let call = channel.unaryCall(methods.unary, methods.request)
            try await withCheckedThrowingContinuation {
                (ended: CheckedContinuation<Void, any Error>) in
                call.response.whenComplete { result in
                    ended.resume(with: result.map { _ in }.mapError { $0 })
                }
            }
        },
    ]
}
