import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A call with writers, without a network")
struct WriterCallTests {
    private final class Ignoring: Writeable {
        func write(_ value: [UInt8]) {}
        func writesFinished(_ error: RPCError?) {}
    }

    @Test("ends if it is cancelled while another thread starts it")
    func cancelledWhileStarted() async throws {
        let backend = try CallTrial.Backend()
        defer { backend.queue.shutdown() }
        let channel = Channel(backend: backend)
        let method = Method<[UInt8], [UInt8]>(
            "/a.B/C", .bidirectional, request: .bytes, reply: .bytes)
        for _ in 0..<500 {
            let call = Call(channel, method, requests: SequenceWriter([[1]]))
            // Refused if the call was cancelled before.
            async let started: Void? = try? call.start(with: Ignoring())
            async let cancelled: Void = call.cancel()
            _ = await (started, cancelled)
            let cores = backend.begun.withLock { $0 }
            #expect(cores.allSatisfy { $0.isEnded })
        }
    }
}
