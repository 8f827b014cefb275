import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A request that grows while its stream is opened")
struct StreamOpeningTests {
    /// Records the messages that it must send.
    private final class Carrier: StreamCarrier {
        let sent = Mutex<[String]>([])

        func send(
            _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
        ) -> Bool {
            sent.withLock { $0.append(andFinish ? "last message" : "message") }
            return true
        }
        func reportRoom(on stream: StreamHandle, to call: CallCore) {}
        func finish(_ stream: StreamHandle) { sent.withLock { $0.append("end") } }
        func reset(_ stream: StreamHandle) -> Bool {
            sent.withLock { $0.append("reset") }
            return false
        }
        func consumed(_ consumption: Consumption, on stream: StreamHandle) {}
    }

    /// Opens a stream with the request so far, and extends the request before the call has the stream.
    private final class Backend: CallBackend {
        let openCalls = CallRegistry()
        let loop: EventLoop
        let carrier = Carrier()
        private let grow: @Sendable (CallCore) -> Void

        init(_ grow: @escaping @Sendable (CallCore) -> Void) throws {
            loop = try EventLoop()
            self.grow = grow
        }

        func begin(_ call: CallCore) {
            guard let request = call.takeRequest() else { return }
            grow(call)
            _ = call.attach(
                to: carrier, StreamHandle(slot: 0, generation: 1),
                ConnectionRecord(peer: "nowhere", ConnectionTimes(begun: .now)),
                attempt: request.attempt)
        }

        func forget(_ call: CallCore) {}

        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
    }

    private static let message: [UInt8] = [0, 0, 0, 0, 1, 7]

    @Test("sends the rest as soon as it has the stream, and ends only if it is finished")
    func grows() throws {
        let cases: [(grow: @Sendable (CallCore) -> Void, expected: [String])] = [
            ({ _ in }, []),
            ({ $0.write(.whole(Self.message), andFinish: false) }, ["message"]),
            ({ $0.write(.whole(Self.message), andFinish: true) }, ["message", "end"]),
            ({ $0.finish() }, ["end"]),
            ({ $0.cancel() }, ["reset"]),
        ]
        for (grow, expected) in cases {
            let backend = try Backend(grow)
            let call = CallCore(
                CallHead(
                    MethodSignature(path: "/a.B/C", shape: .bidirectional, contentSubtype: nil),
                    CallOptions(), MessageLimits()),
                deadline: .never, backend: backend, observer: SingleResponse())
            call.start()
            #expect(backend.carrier.sent.withLock { $0 } == expected)
        }
    }
}
