import SwiftletCore
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletXDS

@Suite("A stream to a control plane", .timeLimit(.minutes(1)))
struct ControlPlaneStreamTests {
    /// A channel whose first reported state is TRANSIENT_FAILURE, and which is READY when the call begins.
    private final class Backend: ChannelBackend {
        let queue: CompletionQueue
        let limits = MessageLimits()
        let openCalls = CallRegistry()
        /// Why each call fails; nil for a call that waits for its first request.
        private let failure: RPCError?

        init(failing failure: RPCError?) throws {
            queue = try CompletionQueue(.byHand)
            self.failure = failure
        }

        deinit { queue.shutdown() }

        var loop: EventLoop { queue.loop }
        var authority: String { "test" }
        var encryption: Encryption { .none }
        var connectivity: ConnectivityState { failure == nil ? .ready : .transientFailure }

        func connectivityChanges() -> AsyncStream<ConnectivityState> {
            AsyncStream { changes in
                for state in [ConnectivityState.connecting, .transientFailure, connectivity] {
                    changes.yield(state)
                }
            }
        }

        func begin(_ call: CallCore) { if let failure { call.end(with: failure) } }
        func forget(_ call: CallCore) {}
        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
        func connect() {}
        func close(grace: Duration) async {}
        func channelWasReleased() {}
    }

    /// A stream on a channel whose calls fail, or wait. Returns its events.
    private func events(failing failure: RPCError?) throws -> AsyncStream<ControlPlaneStream.Event>
    {
        let (events, continuation) = AsyncStream.makeStream(of: ControlPlaneStream.Event.self)
        let stream = ControlPlaneStream(
            ControlPlaneStream.resources, to: try Sample.servers(1)[0],
            Channel(backend: try Backend(failing: failure))
        ) { continuation.yield($1) }
        stream.start()
        return events
    }

    @Test("may send requests if the channel is READY again when the call begins")
    func connectedMeanwhile() async throws {
        for await event in try events(failing: nil) {
            if case .opened = event { break }
        }
    }

    @Test("ends with the reason if the channel cannot connect")
    func notConnected() async throws {
        for await event in try events(failing: RPCError(.unavailable, "refused")) {
            guard case .closed(let cause) = event else { continue }
            #expect(cause.contains("refused"))
            break
        }
    }
}
