import Foundation
import Swiftlet
import SwiftletLoopback
import Synchronization
import Testing

@Suite("An interrupt", .timeLimit(.minutes(5)))
struct InterruptionTests {
    private typealias Echo = Method<[UInt8], [UInt8]>

    private static func echo(_ name: String, _ shape: CallShape) throws -> Echo {
        try Echo(path: "/grpc.testing.TestService/\(name)", shape, request: .bytes, reply: .bytes)
    }

    /// A server whose methods of all four shapes answer nothing until the call is cancelled.
    private static func server(
        started: Gate, cancelled: Gate
    ) throws -> LoopbackServer {
        started.open()
        cancelled.open()
        @Sendable func wait(_ context: ServerContext) async throws {
            await started.pass()
            do {
                try await context.sleep(for: .seconds(3_600))
            } catch {
                await cancelled.pass(context.isCancelled ? "cancelled" : "\(error)")
                throw error
            }
        }
        let methods = (
            try echo("UnaryCall", .unary), try echo("StreamingInputCall", .clientStreaming),
            try echo("StreamingOutputCall", .serverStreaming),
            try echo("FullDuplexCall", .bidirectional)
        )
        return try LoopbackServer { server in
            server.add(ReflectionService())
            server.unary(methods.0) { request, context in
                try await wait(context)
                return request
            }
            server.clientStreaming(methods.1) { _, context in
                try await wait(context)
                return []
            }
            server.serverStreaming(methods.2) { _, _, context in try await wait(context) }
            server.bidirectional(methods.3) { _, _, context in try await wait(context) }
        }
    }

    @Test(
        "cancels a call of any shape, and the server receives CANCEL",
        arguments: ["UnaryCall", "StreamingInputCall", "StreamingOutputCall", "FullDuplexCall"])
    func shapes(method: String) async throws {
        let (started, cancelled) = (Gate(), Gate())
        let server = try Self.server(started: started, cancelled: cancelled)
        let isStream = method == "StreamingInputCall" || method == "FullDuplexCall"
        let program = try Program([
            "call", server.target, "grpc.testing.TestService/\(method)", "-vv",
            "-d", isStream ? "@" : "{}",
        ])
        // The input stays open.
        if isStream { program.write("{}\n") }
        await started.waitFor(1)
        program.interrupt()
        let end = try await program.end()
        #expect(end.status == 64 + 1)
        let resets = end.errors.split(separator: "\n").filter { $0.hasSuffix(", CANCEL") }
        #expect(resets.count == 1, "\(end.errors)")
        #expect(resets.allSatisfy { line in line.split(separator: " ").contains("RST_STREAM") })
        var reasons = cancelled.arrivals.makeAsyncIterator()
        #expect(await reasons.next() == "cancelled")
    }

    @Test("quits at the second time, even if the program cannot end its work")
    func twice() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/queue"
        // Safe: the path is copied for the call.
        let hasQueue = unsafe mkfifo(path, 0o600) == 0
        try #require(hasQueue)
        let program = try Program(["list", "--protoset", path])
        // Opening blocks until the program has opened its end. The program reads until this end is
        // closed.
        let writer = try await onThread { try FileHandle(forWritingTo: URL(filePath: path)) }
        let hasEnded = Atomic(false)
        let end = Task {
            defer { hasEnded.store(true, ordering: .relaxed) }
            return try await program.end()
        }
        // Repeated, because interrupts in quick succession count as one.
        while !hasEnded.load(ordering: .relaxed) {
            program.interrupt()
            await Task.yield()
        }
        #expect(try await end.value.status == 130)
        try writer.close()
    }
}
