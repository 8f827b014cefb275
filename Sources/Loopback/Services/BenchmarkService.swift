import SwiftletCore
import SwiftletMessages

extension ServerMethods {
    /// Adds `grpc.testing.BenchmarkService`, which sends responses of the requested size.
    public mutating func addBenchmark() {
        typealias Request = GRPC.Testing.SimpleRequest
        typealias Reply = GRPC.Testing.SimpleResponse
        let service = "/grpc.testing.BenchmarkService/"
        unary(Method<Request, Reply>(bundled: service + "UnaryCall", .unary)) { request, _ in
            request.reply
        }
        bidirectional(Method<Request, Reply>(bundled: service + "StreamingCall", .bidirectional)) {
            requests, replies, _ in
            for try await request in requests { try await replies.write(request.reply) }
        }
        // Both directions stream at the same time, and neither waits for the other.
        bidirectional(
            Method<Request, Reply>(bundled: service + "StreamingBothWays", .bidirectional)
        ) { requests, replies, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    while !Task.isCancelled { try await replies.write(Request().reply) }
                }
                for try await _ in requests {}
                group.cancelAll()
            }
        }
        clientStreaming(
            Method<Request, Reply>(bundled: service + "StreamingFromClient", .clientStreaming)
        ) { requests, _ in
            var last = Request()
            for try await request in requests { last = request }
            return last.reply
        }
        serverStreaming(
            Method<Request, Reply>(bundled: service + "StreamingFromServer", .serverStreaming)
        ) { request, replies, context in
            var left = context.metadata["x-count"].flatMap { Int($0) } ?? .max
            let reply = request.reply
            while left > 0 {
                try await replies.write(reply)
                left -= 1
            }
        }
    }
}

extension GRPC.Testing.SimpleRequest {
    /// A payload of the requested size, up to a limit.
    fileprivate var reply: GRPC.Testing.SimpleResponse {
        var reply = GRPC.Testing.SimpleResponse()
        let byteCount = min(max(0, Int(responseSize)), 64 << 20)
        reply.payload = GRPC.Testing.Payload(body: [UInt8](repeating: 0, count: byteCount))
        return reply
    }
}
