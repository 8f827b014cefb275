import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletCore

@Suite("The tracker of a pick")
struct TrackedEndTests {
    /// Records the outcomes that it receives.
    private final class Tracker: CallTracker {
        let outcomes = Mutex<[CallOutcome]>([])

        func callEnded(_ outcome: CallOutcome) { outcomes.withLock { $0.append(outcome) } }

        var text: [String] {
            outcomes.withLock { $0.map { "\($0.code), sent: \($0.wasSent)" } }
        }
    }

    private static func startedCall(_ backend: CallTrial.Backend) -> CallCore {
        let method = MethodSignature(path: "/a.B/C", shape: .unary, contentSubtype: nil)
        let call = CallCore(
            CallHead(method, CallOptions(), MessageLimits()), deadline: .never, backend: backend,
            observer: CallTrial.Observer())
        call.start()
        return call
    }

    @Test("receives the end once, however many pickers have added theirs", arguments: 0...5)
    func several(count: Int) throws {
        let backend = try CallTrial.Backend()
        let (call, all) = (Self.startedCall(backend), (0..<count).map { _ in Tracker() })
        var trackers = CallTrackers()
        for tracker in all { trackers.add(tracker) }
        #expect(trackers.isEmpty == (count == 0))
        call.track(trackers)
        call.cancel()
        for tracker in all { #expect(tracker.text == ["CANCELLED, sent: false"]) }
        backend.queue.shutdown()
    }

    @Test("receives the end of the call once")
    func end() throws {
        let backend = try CallTrial.Backend()
        let (call, tracker) = (Self.startedCall(backend), Tracker())
        call.track(CallTrackers(tracker))
        #expect(tracker.text == [])
        call.cancel()
        call.track(CallTrackers())
        #expect(tracker.text.count == 1)
        backend.queue.shutdown()
    }

    @Test("receives at once that the call was not sent if the call has ended in the meantime")
    func endedBefore() throws {
        let backend = try CallTrial.Backend()
        let (call, tracker) = (Self.startedCall(backend), Tracker())
        call.cancel()
        call.track(CallTrackers(tracker))
        call.track(CallTrackers())
        #expect(tracker.text == ["CANCELLED, sent: false"])
        backend.queue.shutdown()
    }

    @Test("receives that the call was not sent when the call ends without a stream")
    func withoutStream() throws {
        let backend = try CallTrial.Backend()
        let (call, tracker) = (Self.startedCall(backend), Tracker())
        call.track(CallTrackers(tracker))
        call.attemptFailed(with: RPCError(.resourceExhausted, "the headers are too large"))
        #expect(tracker.text == ["RESOURCE_EXHAUSTED, sent: false"])
        backend.queue.shutdown()
    }

    @Test("receives at once that its server did not process the call, which is then sent again")
    func refused() throws {
        let backend = try CallTrial.Backend()
        let (call, first, second) = (Self.startedCall(backend), Tracker(), Tracker())
        call.track(CallTrackers(first))
        _ = call.takeRequest()
        call.streamWasNotProcessed(RPCError(.unavailable, "refused"))
        #expect(first.text == ["UNAVAILABLE, sent: true"])
        #expect(backend.begun.withLock { $0.count } == 2, "the call is sent again")
        call.track(CallTrackers(second))
        call.cancel()
        #expect(first.text.count == 1)
        #expect(second.text == ["CANCELLED, sent: false"])
        backend.queue.shutdown()
    }

    @Test("receives that its subchannel did not carry the call when another one is chosen")
    func replaced() throws {
        let backend = try CallTrial.Backend()
        let (call, first, second) = (Self.startedCall(backend), Tracker(), Tracker())
        call.track(CallTrackers(first))
        call.track(CallTrackers(second))
        #expect(first.text == ["UNAVAILABLE, sent: false"])
        #expect(second.text == [])
        call.cancel()
        #expect(first.text.count == 1 && second.text.count == 1)
        backend.queue.shutdown()
    }

    /// A connection whose streams all wait to be opened.
    final class FullCarrier: StreamCarrier {
        func send(
            _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
        ) -> Bool { true }
        func reportRoom(on stream: StreamHandle, to call: CallCore) {}
        func finish(_ stream: StreamHandle) {}
        func reset(_ stream: StreamHandle) -> Bool { true }
        func consumed(_ consumption: Consumption, on stream: StreamHandle) {}
    }

    @Test("receives that the call was not sent when its stream was never opened")
    func neverOpened() throws {
        let backend = try CallTrial.Backend()
        let (call, tracker) = (Self.startedCall(backend), Tracker())
        call.track(CallTrackers(tracker))
        let request = try call.takenRequest()
        _ = call.attach(
            to: FullCarrier(), StreamHandle(slot: 0, generation: 1),
            ConnectionRecord(peer: "nowhere", ConnectionTimes(begun: .now)),
            attempt: request.attempt)
        call.deadlineExceeded()
        #expect(tracker.text == ["DEADLINE_EXCEEDED, sent: false"])
        backend.queue.shutdown()
    }
}
