import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A write that races with the closing of its channel")
struct WriteAtCloseTests {
    /// Writes after its call has ended, but before the inbox of the face has received the end.
    private final class WritingObserver: CallObserver {
        let outlet = Mutex<RequestOutlet?>(nil)
        let codes = Mutex<[StatusCode?]>([])

        func receive(initialMetadata: Metadata) {}
        func receive(message: [UInt8], from _: any CallRequests) {}
        func messageWasWritten(wasAccepted: Bool) {}
        func receive(end: CallEnd) {
            guard let outlet = outlet.withLock({ $0.take() }) else { return }
            codes.withLock { $0.append(end.error?.code) }
            do throws(RPCError) {
                _ = try outlet.write(
                    .whole([0, 0, 0, 0, 0]), andFinish: false, allowsCompression: true)
                codes.withLock { $0.append(nil) }
            } catch {
                codes.withLock { $0.append(error.code) }
            }
        }
    }

    @Test("fails with the status of the call, not as a call that the server ended")
    func closing() throws {
        let core = ChannelCore(
            try Target("nowhere"), credentials: .insecure, arguments: ChannelArguments(),
            queues: [try CompletionQueue(.byHand)],
            sockets: { () throws(SystemError) in
                do { return try Socket.withPair { near, _ in near } } catch {
                    throw SystemError("socketpair", "\(error)", code: 0)
                }
            })
        let observer = WritingObserver()
        let call = CallCore(
            CallHead(
                MethodSignature(path: "/a.B/C", shape: .clientStreaming, contentSubtype: nil),
                CallOptions(), MessageLimits()),
            deadline: .never, backend: core, observer: observer)
        observer.outlet.withLock { $0 = RequestOutlet(call, ResponseInbox()) }
        call.start()
        core.shutDown()
        #expect(observer.codes.withLock { $0 } == [.unavailable, .unavailable])
    }
}
