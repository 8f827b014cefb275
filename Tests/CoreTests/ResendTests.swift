import SwiftletStyles
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("A request that its server did not process")
struct ResendTests {
    /// Refuses every stream.
    final class RefusingBackend: CallBackend {
        let openCalls = CallRegistry()
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
        core.write(.whole([0, 0, 0, 0, 1, 1]), andFinish: true)
        core.start()
        #expect(backend.beginCount.withLock { $0 } == 2)
        try #require(core.isEnded)
        let end = Resumption.block(on: nil) { response.expect(for: $0) }.end
        #expect(end.error?.code == .unavailable)
    }

    /// Grants to send the call again, and counts that.
    private final class GrantingObserver: CallObserver {
        let grantCount = Atomic(0)

        func receive(initialMetadata: Metadata) {}
        func receive(message: [UInt8], from _: any CallRequests) {}
        func messageWasWritten(wasAccepted: Bool) {}
        func receive(end: CallEnd) {}
        func mayBeSentAgain() -> Bool {
            grantCount.add(1, ordering: .relaxed)
            return true
        }
    }

    @Test("does not use up the grant of a hedged call if it is no longer kept")
    func grant() throws {
        for limit in [3, 100] {
            let observer = GrantingObserver()
            let head = CallHead(
                MethodSignature(path: "/a.B/C", shape: .bidirectional, contentSubtype: nil),
                CallOptions(), .keeping(limit))
            let core = CallCore(
                head, deadline: .never, backend: try CallTrial.Backend(),
                observer: observer)
            core.write(.whole([0, 0, 0, 0, 1, 1]), andFinish: false)
            core.start()
            let request = try core.takenRequest()
            _ = core.attach(
                to: Carrier(), StreamHandle(slot: 0, generation: 1),
                ConnectionRecord(peer: "nowhere", ConnectionTimes(begun: .now)),
                attempt: request.attempt)
            core.streamWasNotProcessed(RPCError(.unavailable, "refused"))
            #expect(observer.grantCount.load(ordering: .relaxed) == (limit == 3 ? 0 : 1))
            #expect(core.isEnded == (limit == 3))
            core.cancel()
        }
    }

    /// Sends nothing, and counts the messages and the resets.
    final class Carrier: StreamCarrier {
        let sentCount = Mutex(0)
        let resetCount = Mutex(0)

        func send(
            _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
        ) -> Bool {
            sentCount.withLock { $0 += 1 }
            return true
        }
        func reportRoom(on stream: StreamHandle, to call: CallCore) {}
        func finish(_ stream: StreamHandle) {}
        func reset(_ stream: StreamHandle) -> Bool {
            resetCount.withLock { $0 += 1 }
            return false
        }
        func consumed(_ consumption: Consumption, on stream: StreamHandle) {}
    }

    /// Reports the first stream as not processed, and then attaches the call to that stream.
    final class LateBackend: CallBackend {
        let openCalls = CallRegistry()
        let loop: EventLoop
        let first = Carrier()
        let second = Carrier()
        private let beginCount = Mutex(0)

        init() throws { loop = try EventLoop() }

        func begin(_ call: CallCore) {
            let isFirst = beginCount.withLock { count in
                count += 1
                return count == 1
            }
            guard let request = call.takeRequest() else { return }
            if isFirst { call.streamWasNotProcessed(RPCError(.unavailable, "refused")) }
            let record = ConnectionRecord(peer: "nowhere", ConnectionTimes(begun: .now))
            _ = call.attach(
                to: isFirst ? first : second, StreamHandle(slot: 0, generation: 1), record,
                attempt: request.attempt)
        }

        func forget(_ call: CallCore) {}

        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
    }

    /// Reads the writer's error while it receives the end.
    final class EndObserver: CallObserver {
        let call = Mutex<CallCore?>(nil)
        let toldToWriter = Mutex<RPCError?>(nil)

        func receive(initialMetadata: Metadata) {}
        func receive(message: [UInt8], from _: any CallRequests) {}
        func messageWasWritten(wasAccepted: Bool) {}
        func receive(end: CallEnd) {
            let error = call.withLock { $0.take() }?.errorOfWriting
            toldToWriter.withLock { $0 = error }
        }
    }

    @Test("reports the cause of its end to a writer, even before its observer receives the end")
    func writerAtTheEnd() throws {
        let observer = EndObserver()
        let head = CallHead(
            MethodSignature(path: "/a.B/C", shape: .bidirectional, contentSubtype: nil),
            CallOptions(), MessageLimits())
        let core = CallCore(
            head, deadline: .never, backend: try LateBackend(), observer: observer)
        observer.call.withLock { $0 = core }
        core.start()
        #expect(core.errorOfWriting == nil)
        core.deadlineExceeded()
        #expect(observer.toldToWriter.withLock { $0?.code } == .deadlineExceeded)
        #expect(core.errorOfWriting?.code == .deadlineExceeded)
    }

    @Test("is sent on its second stream, even if the first stream is attached late")
    func late() throws {
        let backend = try LateBackend()
        let head = CallHead(
            MethodSignature(path: "/a.B/C", shape: .bidirectional, contentSubtype: nil),
            CallOptions(), MessageLimits())
        let core = CallCore(
            head, deadline: .never, backend: backend, observer: SingleResponse())
        core.start()
        core.write(.whole([0, 0, 0, 0, 1, 1]), andFinish: false)
        #expect(backend.first.sentCount.withLock { $0 } == 0)
        #expect(backend.first.resetCount.withLock { $0 } == 1)
        #expect(backend.second.sentCount.withLock { $0 } == 1)
        core.cancel()
        #expect(backend.second.resetCount.withLock { $0 } == 1)
    }

    /// Keeps the request of each attempt: what the attempt began with, and what was sent on its stream
    /// afterwards.
    final class RecordingBackend: CallBackend, StreamCarrier {
        let openCalls = CallRegistry()
        struct Attempt: Equatable {
            var bytes: [[UInt8]] = []
            var isFinished = false
        }

        let loop: EventLoop
        let attempts = Mutex<[Attempt]>([])

        init() throws { loop = try EventLoop() }

        func begin(_ call: CallCore) {
            guard var request = call.takeRequest() else { return }
            var attempt = Attempt(isFinished: request.isFinish)
            request.takeEach { message, _ in
                if case .whole(let bytes) = message { attempt.bytes.append(bytes) }
            }
            attempts.withLock { $0.append(attempt) }
            let record = ConnectionRecord(peer: "nowhere", ConnectionTimes(begun: .now))
            _ = call.attach(
                to: self, StreamHandle(slot: 0, generation: 1), record, attempt: request.attempt)
        }

        func send(
            _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
        ) -> Bool {
            attempts.withLock { attempts in
                let last = attempts.count - 1
                if case .whole(let bytes) = framedMessage { attempts[last].bytes.append(bytes) }
                if andFinish { attempts[last].isFinished = true }
            }
            return true
        }

        func finish(_ stream: StreamHandle) {
            attempts.withLock { $0[$0.count - 1].isFinished = true }
        }

        func reportRoom(on stream: StreamHandle, to call: CallCore) {}
        func reset(_ stream: StreamHandle) -> Bool { false }
        func consumed(_ consumption: Consumption, on stream: StreamHandle) {}
        func forget(_ call: CallCore) {}
        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
    }

    /// How a request ends.
    enum Ending: CaseIterable { case withLastMessage, afterLastMessage, notYet }

    @Test(
        "is sent again with everything that was written, before and after its stream was opened",
        arguments: Ending.allCases)
    func passedThrough(ending: Ending) throws {
        let backend = try RecordingBackend()
        let head = CallHead(
            MethodSignature(path: "/a.B/C", shape: .bidirectional, contentSubtype: nil),
            CallOptions(), MessageLimits())
        let core = CallCore(head, deadline: .never, backend: backend, observer: SingleResponse())
        func write(_ byte: UInt8, andFinish: Bool = false) {
            core.write(.whole([0, 0, 0, 0, 1, byte]), andFinish: andFinish)
        }
        write(1)
        core.start()
        write(2)
        write(3, andFinish: ending == .withLastMessage)
        if ending == .afterLastMessage { core.finish() }
        core.streamWasNotProcessed(RPCError(.unavailable, "refused"))
        if ending == .notYet { write(4) }
        let sent = (1...3).map { [0, 0, 0, 0, 1, $0] as [UInt8] }
        let isFinished = ending != .notYet
        let attempts = backend.attempts.withLock { $0 }
        try #require(attempts.count == 2)
        #expect(attempts[0] == .init(bytes: sent, isFinished: isFinished))
        let later: [[UInt8]] = isFinished ? [] : [[0, 0, 0, 0, 1, 4]]
        #expect(attempts[1] == .init(bytes: sent + later, isFinished: isFinished))
        core.cancel()
    }
}
