import SwiftletTransport
import Synchronization

// The end of a connection.

extension Link {
    package func endSoon(with error: LinkError) { loop.run { [self] in end(with: error) } }

    /// On the loop's thread, which delivers what it has read.
    func end(with error: LinkError) { end(with: error, ifDrained: false) }

    /// - Parameter ifDrained: Whether to end it only if it is draining and nothing uses it.
    private func end(with error: LinkError, ifDrained: Bool) {
        var error = error
        var last = GatherList()
        let calls: State.Calls? = state.withLock { state in
            guard state.ending == nil, !ifDrained || state.isDrained else { return nil }
            error.goAway = state.goAway
            state.ending = error
            let calls = state.calls
            // Requests that were not sent yet are not sent now: other connections carry those calls.
            if !state.turn.isWriting, state.turn != .failed,
                state.hasCarriedStream || state.callCount == 0
            {
                swap(&last, &state.unwritten)
                state.takeOutput(into: &last, upTo: 256 << 10, opensStreams: false)
            }
            defer { state.entries = [] }
            state.callCount = 0
            return calls
        }
        guard let calls else { return }
        frameLog?.deliver()
        // Sends a GOAWAY if the socket accepts it at once. A failure does not matter any more.
        _ = try? wire.write(&last)
        wire.close(on: loop)
        pollTimer.close()
        let failure = StatusMapping.error(forLost: error, peer: peer)
        for call in calls.begun { call.attemptFailed(with: failure) }
        let unsentFailure = failure.notExecuted
        // Before the report to the owner: the owner shuts itself down when no call waits for a
        // connection.
        for call in calls.unsent {
            if error.isNetworkLoss {
                call.attemptFailed(with: unsentFailure)
            } else {
                call.streamWasNotProcessed(wasSent: false, unsentFailure)
            }
        }
        withOwner { $0.linkEnded(self, error) }
    }

    /// Only the first call sends GOAWAY: each call that the connection refuses may drain it again.
    package func leave() {
        state.withLock { state in
            if !state.connection.hasSentGoAway { state.connection.goAway() }
        }
        flushSoon()
        endIfDrained()
    }

    package var acceptsCalls: Bool {
        state.withLock { $0.ending == nil && !$0.connection.isDraining }
    }

    /// Ends a draining connection after its last call.
    func endIfDrained() {
        guard state.withLock({ $0.isDrained }) else { return }
        // On the loop, so that frames that the peer has sent in the meantime are read first.
        loop.run { [self] in
            // A thread that has begun to write in the meantime calls this again when it is done.
            end(
                with: LinkError(phase: .http2, cause: "this side closed the connection"),
                ifDrained: true)
        }
    }

    /// Waiting calls end first: the end of the others would open streams for them.
    package func endCalls(with error: RPCError) {
        let calls = state.withLock { $0.calls }
        for call in calls.unsent + calls.begun { call.fail(error) }
    }
}

extension Link.State {
    struct Calls {
        var begun: [CallCore] = []
        /// Calls that were not sent, not even in part.
        var unsent: [CallCore] = []
    }

    var calls: Calls {
        var calls = Calls()
        for entry in entries {
            guard let call = entry.call, let stream = entry.stream else { continue }
            if connection.isWaiting(stream) || !hasCarriedStream {
                calls.unsent.append(call)
            } else {
                calls.begun.append(call)
            }
        }
        return calls
    }

    /// Whether the connection is draining, and neither a call nor a writer uses it.
    var isDrained: Bool {
        connection.isDraining && callCount == 0 && ending == nil && !turn.isWriting
    }
}
