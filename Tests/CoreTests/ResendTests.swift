import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A request that its server did not look at")
struct ResendTests {
    /// Finds streams that are all refused.
    final class RefusingBackend: CallBackend {
        let loop: EventLoop
        let beginCount = Mutex(0)

        init() throws { loop = try EventLoop() }

        func begin(_ call: CallCore) {
            beginCount.withLock { $0 += 1 }
            _ = call.takeRequest()
            call.streamWasNotProcessed(RPCError(.unavailable, "refused"))
        }

        func forget(_ call: CallCore) {}

        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
    }

    @Test("is sent once more, and then fails as unavailable")
    func once() throws {
        let backend = try RefusingBackend()
        let response = SingleResponse()
        let head = CallHead(
            MethodSignature(path: "/a.B/C", shape: .unary, contentSubtype: nil), CallOptions(),
            MessageLimits())
        let core = CallCore(head, deadline: .never, backend: backend, observer: response)
        core.write([0, 0, 0, 0, 0, 1], andFinish: true)
        core.start()
        #expect(backend.beginCount.withLock { $0 } == 2)
        #expect(response.response?.end.error?.code == .unavailable)
    }
}
