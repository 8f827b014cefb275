import SwiftletCore
import SwiftletTransport
import Synchronization
import Testing

@testable import SwiftletXDS

@Suite("A stream to a control plane", .timeLimit(.minutes(1)))
struct ControlPlaneStreamTests {
    /// A channel that reports given states. It has left IDLE before they are followed, so that ``connect()`` has an
    /// effect only after that.
    private final class Backend: ChannelBackend {
        let queue: CompletionQueue
        let limits = MessageLimits()
        let methodConfigs: MethodConfigs? = nil
        let metrics: (any ChannelMeter)? = nil
        let openCalls = CallRegistry()
        /// Why each call fails; nil for a call that waits for its first request.
        private let failure: RPCError?
        private let states: [ConnectivityState]
        private let changes = Mutex<AsyncStream<ConnectivityState>.Continuation?>(nil)

        init(_ states: [ConnectivityState], failing failure: RPCError?) throws {
            queue = try CompletionQueue(.byHand)
            self.states = states
            self.failure = failure
        }

        deinit { queue.shutdown() }

        var loop: EventLoop { queue.loop }
        var authority: String { "test" }
        var encryption: Encryption { .none }
        var connectivity: ConnectivityState { failure == nil ? .ready : .transientFailure }

        func connectivityChanges() -> AsyncStream<ConnectivityState> {
            let (stream, continuation) = AsyncStream.makeStream(of: ConnectivityState.self)
            for state in states { continuation.yield(state) }
            changes.withLock { $0 = continuation }
            return stream
        }

        func begin(_ call: CallCore) { if let failure { call.end(with: failure) } }
        func forget(_ call: CallCore) {}
        func deadlineError(of call: CallCore) -> RPCError { RPCError(.deadlineExceeded, "late") }
        func connect() { changes.withLock { $0 }?.yield(.ready) }
        func close(grace: Duration) async {}
        func channelWasReleased() {}
    }

    /// A stream on a channel whose calls fail, or wait. Returns its events.
    private func events(
        _ states: [ConnectivityState], failing failure: RPCError? = nil
    ) throws -> AsyncStream<ControlPlaneStream.Event> {
        let (events, continuation) = AsyncStream.makeStream(of: ControlPlaneStream.Event.self)
        let stream = ControlPlaneStream(
            ControlPlaneStream.resources, to: try Sample.servers(1)[0],
            Channel(backend: try Backend(states, failing: failure))
        ) { continuation.yield($1) }
        stream.start()
        return events
    }

    @Test("may send requests if the channel is READY again when the call begins")
    func connectedMeanwhile() async throws {
        for await event in try events([.connecting, .transientFailure]) {
            if case .opened = event { break }
        }
    }

    @Test("connects a channel that becomes IDLE when the stream has started")
    func idleMeanwhile() async throws {
        for await event in try events([.idle]) {
            if case .opened = event { break }
        }
    }

    @Test("ends with the reason if the channel cannot connect")
    func notConnected() async throws {
        let failure = RPCError(.unavailable, "refused")
        for await event in try events([.connecting, .transientFailure], failing: failure) {
            guard case .closed(let cause) = event else { continue }
            #expect(cause.contains("refused"))
            break
        }
    }
}
