import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore
@testable import SwiftletLoopback

@Suite("Handlers that block their threads", .timeLimit(.minutes(5)))
struct HandlerThreadsTests {
    /// Blocks threads until the expected number of threads has arrived.
    private final class Meeting: Sendable {
        private let count = Atomic(0)
        private let gate = BlockingGate()
        private let expected: Int

        init(of expected: Int) { self.expected = expected }

        var attendance: Int { count.load(ordering: .relaxed) }

        func attend() {
            if count.add(1, ordering: .relaxed).newValue == expected { gate.open() }
            gate.wait()
        }
    }

    private static let meet = Method<[UInt8], [UInt8]>(
        "/t.T/Meet", .unary, request: .bytes, reply: .bytes)
    private static let echo = HostileTrial.echo

    private static func server(_ meeting: Meeting) throws -> LoopbackServer {
        try LoopbackServer { server in
            server.unary(meet) { request, _ in
                meeting.attend()
                return request
            }
            server.unary(echo) { request, _ in request }
        }
    }

    @Test("get a thread each")
    func meeting() async throws {
        let server = try Self.server(Meeting(of: 64))
        let channel = try Channel(server.target, credentials: .insecure)
        try await withThrowingTaskGroup { group in
            for number in 0..<UInt8(64) {
                group.addTask { try await channel.unary(Self.meet, [number]) == [number] }
            }
            for try await isEqual in group { #expect(isEqual) }
        }
        #expect(try await channel.unary(Self.echo, [1]) == [1])
    }

    @Test("do not stop other handlers")
    func others() async throws {
        let meeting = Meeting(of: 6)
        let server = try Self.server(meeting)
        let channel = try Channel(server.target, credentials: .insecure)
        let blocked = (0..<5).map { _ in Task { try await channel.unary(Self.meet, [7]) } }
        for number in 0..<100 {
            let request = [UInt8(number)]
            #expect(try await channel.unary(Self.echo, request) == request)
        }
        meeting.attend()
        for task in blocked { #expect(try await task.value == [7]) }
    }

    @Test("have two threads at first, and the others get theirs when the server stops")
    func usual() async throws {
        // No thread turns the queue, so the timer does not fire.
        let queue = try CompletionQueue(.byHand)
        let threads = HandlerThreads(queue.loop)
        let meeting = Meeting(of: 8)
        let tasks = (0..<8).map { _ in
            Task(executorPreference: threads) { meeting.attend() }
        }
        try await eventually { meeting.attendance == 2 }
        // The jobs that wait still get a thread.
        threads.stop()
        for task in tasks { await task.value }
        #expect(meeting.attendance == 8)
        queue.shutdown()
    }
}
