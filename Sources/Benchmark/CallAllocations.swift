import Swiftlet
import SwiftletInterceptors
import SwiftletObservation
import SwiftletServices

/// Counts the allocations of a unary call, alone and with options. The server runs in another process, so
/// that only the client's allocations are counted.
enum CallAllocations {
    private final class Forwarding: Interceptor {}

    private struct Client: ServiceClient {
        static let unaryCall = Method<GRPC.Testing.SimpleRequest, GRPC.Testing.SimpleResponse>(
            "/grpc.testing.BenchmarkService/UnaryCall", .unary)
        let channel: Channel
    }

    private enum Variant: String, CaseIterable {
        case plain, client, timeout, header, metrics, interceptor
        case twoInterceptors = "2-interceptors"
        case fiveInterceptors = "5-interceptors"

        var note: String {
            switch self {
            case .plain: "on a channel"
            case .client: "through a ServiceClient"
            case .timeout: "with a timeout"
            case .header: "with one header"
            case .interceptor: "with an interceptor that forwards"
            case .metrics: "with metrics"
            case .twoInterceptors, .fiveInterceptors: "with so many of them"
            }
        }

        private var interceptorCount: Int {
            switch self {
            case .plain, .client, .timeout, .header, .metrics: 0
            case .interceptor: 1
            case .twoInterceptors: 2
            case .fiveInterceptors: 5
            }
        }

        var interceptors: [ChannelInterceptor] {
            let forwarding = InterceptorFactory("forwarding") { _ in Forwarding() }
            return [ChannelInterceptor](repeating: .all(forwarding), count: interceptorCount)
        }

        var arguments: ChannelArguments {
            var arguments = ChannelArguments()
            if self == .metrics { arguments.metricSinks = [MetricTotals()] }
            return arguments
        }

        func call(_ channel: Channel) async throws(RPCError) {
            let method = Client.unaryCall
            let reply =
                switch self {
                case .plain, .metrics, .interceptor, .twoInterceptors, .fiveInterceptors:
                    try await channel.unary(method, request)
                case .client: try await Client(channel: channel).unary(method, request)
                case .timeout:
                    try await channel.unary(
                        method, request, options: .with { $0.timeout = .seconds(10) })
                case .header:
                    try await channel.unary(
                        method, request, options: .with { $0.metadata["x-id"] = "7f3a" })
                }
            blackHole(reply)
        }
    }

    private static let request = GRPC.Testing.SimpleRequest.with { $0.responseSize = 16 }
    private static let callCount = 1_000

    static func run(_ report: inout Report) async {
        do {
            let server = try ServerProcess()
            for variant in Variant.allCases {
                guard let count = try await allocations(of: variant, server.target) else {
                    return say("allocations: the kernel does not let this process count them")
                }
                report.add(
                    "unary-allocations/\(variant.rawValue)", count, "allocations",
                    note: variant.note)
            }
        } catch {
            giveUp("allocations: \(error)")
        }
    }

    private static func allocations(
        of variant: Variant, _ target: String
    ) async throws -> Double? {
        // Started before the thread whose allocations are counted.
        let counter = KernelCounter.allocations()
        let queue = try CompletionQueue()
        defer { queue.shutdown() }
        let channel = try Channel(
            target, credentials: .insecure, arguments: variant.arguments,
            interceptors: variant.interceptors, queue: queue)
        let count = try await withTaskExecutorPreference(queue) {
            for _ in 0..<callCount { try await variant.call(channel) }
            let before = counter?.count
            for _ in 0..<callCount { try await variant.call(channel) }
            return before.flatMap { before in counter?.count.map { $0 - before } }
        }
        await channel.close()
        return count.map { Double($0) / Double(callCount) }
    }
}
