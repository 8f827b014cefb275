import Swiftlet
import SwiftletInterceptors
import SwiftletLoopback
import SwiftletStyles
import Synchronization
import Testing

@Suite("A chain of two interceptors", .timeLimit(.minutes(5)))
struct ChainOrderTests {
    /// Records steps in order. A test can wait for the next steps.
    private final class Trace: Sendable {
        private let steps: AsyncStream<String>
        private let continuation: AsyncStream<String>.Continuation

        init() { (steps, continuation) = AsyncStream.makeStream() }

        func add(_ step: String) { continuation.yield(step) }

        func next(_ count: Int) async -> [String] {
            var all: [String] = []
            for await step in steps {
                all.append(step)
                if all.count == count { break }
            }
            return all
        }
    }

    /// Forwards each event and records it.
    private final class Tracing: Interceptor {
        private let name: String
        private let trace: Trace

        init(_ name: String, _ trace: Trace) {
            self.name = name
            self.trace = trace
        }

        func receiveNext(_ call: InterceptedCall) {
            trace.add("\(name) next")
            call.receiveNext()
        }

        func cancel(_ call: InterceptedCall) {
            trace.add("\(name) cancel")
            call.cancel()
        }

        func writeDone(_ call: InterceptedCall) {
            trace.add("\(name) written")
            call.deliverWriteDone()
        }
    }

    @Test(
        "receives demand and cancellation from the caller's side, and write events from the other"
    )
    func order() async throws {
        let (gate, opening) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { server in
            server.bidirectional(HostileTrial.talk) { requests, replies, _ in
                for await _ in gate {}
                try await replies.write([2])
                for try await _ in requests {}
            }
        }
        let trace = Trace()
        let channel = try Channel(
            server.target, credentials: .insecure,
            interceptors: ["first", "second"].map { name in
                .all(InterceptorFactory(name) { _ in Tracing(name, trace) })
            })
        let call = channel.startBidirectional(
            HostileTrial.talk,
            handlers: ResponseHandlers(
                message: { trace.add("\($0)") }, end: { _ in trace.add("end") }))
        #expect(await trace.next(2) == ["first next", "second next"])
        try call.write([1]) { trace.add("room \($0)") }
        #expect(await trace.next(3) == ["second written", "first written", "room true"])
        opening.finish()
        // The next message is requested after the handler of the previous one has returned.
        #expect(await trace.next(3) == ["[2]", "first next", "second next"])
        call.cancel()
        let ending = await trace.next(3)
        #expect(ending.filter { $0 != "end" } == ["first cancel", "second cancel"])
    }
}
