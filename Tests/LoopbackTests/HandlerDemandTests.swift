import Synchronization
import Testing

@testable import SwiftletCore
@testable import SwiftletStyles

@Suite("The demand of a call with handlers")
struct HandlerDemandTests {
    /// Counts the messages that it is asked for.
    private final class CountingCall: CallRequests {
        private let count = Atomic(0)
        var askedCount: Int { count.load(ordering: .relaxed) }
        var errorOfUnreadEnd: RPCError? { nil }
        var mayHaveSent: Bool { true }

        func start() {}
        func start(only message: consuming EncodedMessage) {}
        func write(
            _ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool
        ) {}
        func finish() {}
        func receiveNext() { count.wrappingAdd(1, ordering: .relaxed) }
        func fail(_ error: RPCError) { failed.withLock { $0.append(error) } }

        let failed = Mutex<[RPCError]>([])
        var failures: [RPCError] { failed.withLock { $0 } }
    }

    private let call = CountingCall()

    private func observer(_ initialDemand: Int?) -> HandlerObserver<[UInt8]> {
        var handlers = ResponseHandlers<[UInt8]>(message: { _ in }, end: { _ in })
        handlers.initialDemand = initialDemand
        let observer = HandlerObserver(handlers, .bytes)
        observer.begin(call)
        return observer
    }

    @Test("may be unlimited; messages are asked for one at a time", arguments: [nil, Int.max])
    func unlimited(initialDemand: Int?) {
        let observer = observer(initialDemand)
        for number in 1...10 {
            #expect(call.askedCount == number)
            observer.receive(message: [1], from: call)
        }
        for _ in 0..<2 { observer.control.receiveNext(.max) }
        #expect(call.askedCount == 11)
    }

    @Test("is the number of messages that the program wants")
    func limited() {
        let observer = observer(2)
        #expect(call.askedCount == 1)
        observer.receive(message: [1], from: call)
        #expect(call.askedCount == 2)
        observer.receive(message: [1], from: call)
        #expect(call.askedCount == 2)
        observer.control.receiveNext(-1)
        #expect(call.askedCount == 2)
        observer.control.receiveNext(1)
        observer.control.receiveNext(1)
        #expect(call.askedCount == 3)
        observer.receive(message: [1], from: call)
        #expect(call.askedCount == 4)
        observer.receive(message: [1], from: call)
        #expect(call.askedCount == 4)
        for _ in 0..<2 { observer.control.receiveNext(.max) }
        #expect(call.askedCount == 5)
    }

    @Test("waits during a pause", arguments: [nil, 5])
    func pause(initialDemand: Int?) {
        let observer = observer(initialDemand)
        observer.control.pause()
        observer.receive(message: [1], from: call)
        #expect(call.askedCount == 1)
        observer.control.resume()
        #expect(call.askedCount == 2)
        observer.control.pause()
        observer.control.resume()
        #expect(call.askedCount == 2)
    }

    @Test("of a released call cannot grow: one more message ends the call")
    func released() {
        for (initialDemand, isPaused) in [(2, false), (nil, true)] {
            let observer = observer(initialDemand)
            var lease: HandlerLease? = HandlerLease(observer.control)
            let former = call.askedCount
            if isPaused {
                observer.control.pause()
                observer.receive(message: [1], from: call)
                #expect(call.askedCount == former)
                lease = nil
            } else {
                lease = nil
                observer.receive(message: [1], from: call)
                observer.receive(message: [1], from: call)
                #expect(call.failures.isEmpty)
            }
            _ = lease
            #expect(call.askedCount == former + (isPaused ? 1 : 2))
            observer.receive(message: [1], from: call)
            #expect(call.failures.map(\.code) == [.cancelled])
            call.failed.withLock { $0 = [] }
        }
    }

    @Test("of a released call that is not limited goes on")
    func releasedAndUnlimited() {
        let observer = observer(nil)
        _ = HandlerLease(observer.control)
        for number in 1...10 {
            #expect(call.askedCount == number)
            observer.receive(message: [1], from: call)
        }
        #expect(call.failures.isEmpty)
    }
}
