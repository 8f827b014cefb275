import Swiftlet
import SwiftletServices

extension InteropCase {
    /// Cases with one request and one response.
    static let unary = [
        InteropCase("empty_unary") { server in
            try await server.withChannel { client in
                let reply = try await client.channel.unary(
                    TestServiceClient.emptyCall, .init(), options: TestServiceClient.options())
                try expect("the answer", reply, is: GRPC.Testing.Empty())
            }
        },
        InteropCase("large_unary") { server in
            try await server.withChannel { client in try await client.checkLargeUnary() }
        },
        InteropCase("concurrent_large_unary") { server in
            try await server.withChannel { client in
                try await client.checkAtOnce(server.settings.concurrentCalls)
            }
        },
    ]
}

extension TestServiceClient {
    func checkLargeUnary() async throws {
        try await unary(.large).message.check("large_unary", byteCount: 314_159)
    }

    /// Makes this many calls of the size of `large_unary` at the same time.
    func checkAtOnce(_ count: Int) async throws {
        let done = try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<count { group.addTask { try await checkLargeUnary() } }
            return try await group.reduce(into: 0) { done, _ in done += 1 }
        }
        guard done > 0, done == count else {
            throw CaseFailure(reason: "\(done) of \(count) calls were made")
        }
    }
}
