import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import Testing

@testable import SwiftletBalancing
@testable import SwiftletCore

/// A call with a policy and its attempts refer to each other while the call runs.
@Suite("A call with a retry policy, and its attempts", .timeLimit(.minutes(5)))
struct RetryReleaseTests {
    struct Way: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// The number of attempts of each call that fail.
        var failureCount = 0
        var isHedged = false
        var byteCount = 1
        /// Whether the caller cancels the call. The server then does not answer it.
        var isCancelled = false
        var code = StatusCode.ok
    }

    private static let ways = [
        Way(testDescription: "answered"),
        Way(testDescription: "answered after a retry", failureCount: 1),
        Way(testDescription: "failed too often", failureCount: 9, code: .unavailable),
        Way(
            testDescription: "too large to be kept", failureCount: 9, byteCount: 300_000,
            code: .unavailable),
        Way(testDescription: "hedged", isHedged: true),
        Way(testDescription: "cancelled", isCancelled: true, code: .cancelled),
        Way(
            testDescription: "cancelled before a hedge", isHedged: true, isCancelled: true,
            code: .cancelled),
    ]

    private static func arguments(_ way: Way) -> ChannelArguments {
        var retry = RetryPolicy(maxAttempts: 3, retryableCodes: [.unavailable])
        retry.initialBackoff = .milliseconds(1)
        var config = ServiceConfig()
        config.methods = [
            MethodConfig([.all]) { method in
                if way.isHedged {
                    var hedging = HedgingPolicy(maxAttempts: 3)
                    if way.isCancelled { hedging.delay = .seconds(3_600) }
                    method.attempts = .hedging(hedging)
                } else {
                    method.retry = retry
                }
            }
        ]
        var arguments = ChannelArguments()
        arguments.serviceConfig = config
        return arguments
    }

    private static func server(_ way: Way) throws -> LoopbackServer {
        @Sendable func attempt(_ context: ServerContext) async throws {
            if way.isCancelled { try await Task.sleep(for: .seconds(3_600)) }
            let previous = context.metadata["grpc-previous-rpc-attempts"].flatMap(Int.init) ?? 0
            if previous < way.failureCount { throw RPCError(.unavailable, "not yet") }
        }
        return try LoopbackServer { server in
            server.unary(RetryTests.echo) { request, context in
                try await attempt(context)
                return request
            }
            server.bidirectional(RetryTests.chat) { requests, writer, context in
                try await attempt(context)
                for try await request in requests { try await writer.write(request) }
            }
        }
    }

    @Test("are released together when the call has ended", arguments: ways)
    func released(way: Way) async throws {
        let server = try Self.server(way)
        let channel = try server.makeChannel(arguments: Self.arguments(way))
        let request = [UInt8](repeating: 1, count: way.byteCount)
        // Longer than the test. So no timer of an ended call may keep the call alive.
        var options = CallOptions()
        options.timeout = .seconds(3_600)
        weak var unary: (any CallRequests)?
        weak var stream: (any CallRequests)?
        do {
            let (ends, end) = AsyncStream.makeStream(of: StatusCode.self)
            let call = try channel.startUnary(RetryTests.echo, request, options: options) {
                result in
                switch result {
                case .success: end.yield(.ok)
                case .failure(let error): end.yield(error.code)
                }
            }
            unary = call.call
            #expect(call.call is HedgedCall == way.isHedged)
            let writing = channel.startBidirectional(
                RetryTests.chat, options: options,
                handlers: ResponseHandlers { _ in
                } end: { result in
                    switch result {
                    case .success: end.yield(.ok)
                    case .failure(let error): end.yield(error.code)
                    }
                })
            stream = writing.running.call
            try writing.write(request)
            writing.finish()
            if way.isCancelled {
                call.cancel()
                writing.cancel()
            }
            var codes: [StatusCode] = []
            for await code in ends.prefix(2) { codes.append(code) }
            #expect(codes == [way.code, way.code])
        }
        try await eventually { unary == nil && stream == nil }
    }
}
