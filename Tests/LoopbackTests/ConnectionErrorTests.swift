import Swiftlet
import SwiftletLoopback
import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

/// Tests which facts about a connection an error contains.
@Suite("An error of a connection", .timeLimit(.minutes(5)))
struct ConnectionErrorTests {
    @Test("names the GOAWAY that arrived before it")
    func goAway() async throws {
        let peer = try RawPeer(
            RawScript { connection, _ in
                try connection.send(RawFrame.goAway(last: 1, 11, "quota\nexceeded"))
                try connection.close()
            })
        let channel = try Channel(peer.target, credentials: .insecure)
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(HostileTrial.echo, [1])
        }
        #expect(error?.code == .unavailable)
        #expect(error?.causes == ["GOAWAY ENHANCE_YOUR_CALM \"quota exceeded\""])
    }

    @Test(
        "names the GOAWAY that arrived before it, even if a write fails before the GOAWAY is read")
    func goAwayBeforeWrite() async throws {
        let gate = BlockingGate()
        defer { gate.open() }
        let isOver = Mutex(false)
        var script = RawScript { _, _ in }
        script.answerToHeaders = { connection, _ in
            // The message that arrives in the meantime is not read, so the end resets the
            // connection.
            gate.wait()
            try connection.send(RawFrame.goAway(last: 1, 11, "quota"))
            isOver.withLock { $0 = true }
            throw CancellationError()
        }
        let peer = try RawPeer(script)
        let error: RPCError? = try await onThread {
            let queue = try CompletionQueue(.byHand)
            defer { queue.shutdown() }
            let channel = try Channel(peer.target, credentials: .insecure, queue: queue)
            let error = Mutex<RPCError?>(nil)
            let call = channel.startClientStreaming(HostileTrial.collect) { result in
                if case .failure(let failure) = result { error.withLock { $0 = failure } }
            }
            while peer.callCount == 0 { _ = try queue.next(deadline: .after(.milliseconds(10))) }
            // The queue is not turned in the meantime, so this thread sends the bytes that it
            // writes.
            try call.write([1])
            gate.open()
            while !isOver.withLock({ $0 }) { Thread.rest(for: .milliseconds(1)) }
            // Waits until the reset has arrived. If it has not arrived, the GOAWAY is read first,
            // as usual.
            Thread.rest(for: .milliseconds(50))
            try call.write([2])
            while error.withLock({ $0 == nil }) {
                _ = try queue.next(deadline: .after(.milliseconds(10)))
            }
            return error.withLock { $0 }
        }
        #expect(error?.code == .unavailable)
        #expect(error?.causes == ["GOAWAY ENHANCE_YOUR_CALM \"quota\""])
    }

    @Test("lists the addresses that were tried, also after the deadline")
    func attempts() async throws {
        let channel = try Channel("127.0.0.1:1", credentials: .insecure)
        // After this call, the channel has recorded the failed attempt to connect to that address.
        _ = try? await channel.unary(HostileTrial.echo, [1])
        let error = await #expect(throws: RPCError.self) {
            try await channel.unary(
                HostileTrial.echo, [1, 2, 3],
                options: .with {
                    $0.waitForReady = true
                    $0.timeout = .milliseconds(100)
                })
        }
        #expect(error?.code == .deadlineExceeded)
        #expect(error?.causes.contains { $0.contains("connection refused") } == true)
        #expect(error?.attempts.map(\.address) == ["127.0.0.1:1"])
        #expect(error?.timeline?.sentByteCount == 0)
    }
}
