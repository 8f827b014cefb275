package import SwiftletTransport
import Synchronization

// The requests that calls make to the connection that carries them.

extension Link: StreamCarrier {
    package var readingLoop: EventLoop? { loop }

    package func send(
        _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
    ) -> Bool {
        let now = outputMoment
        let (outcome, mustPoll, flush) = state.withLock { state in
            // A connection that has ended never reports room, so nothing may be queued on it.
            guard state.ending == nil else {
                return (Connection.SendOutcome.closed, false, nil as FlushRequest?)
            }
            let outcome = state.connection.sendData(
                framedMessage, on: stream, endStream: andFinish)
            return (outcome, state.mustPoll(), state.askForFlush(now: now))
        }
        if mustPoll { poll(now: .now) }
        flushSoon(flush)
        if case .queued(let byteCount) = outcome { return byteCount < Self.queuedByteCount }
        return true
    }

    /// A stream with more queued bytes than this has no room for messages.
    private static let queuedByteCount = 64 << 10

    package func reportRoom(on stream: StreamHandle, to call: CallCore) {
        let isShort = state.withLock { state in
            state.ending != nil || !state.connection.reportWhenSendQueueIsShort(stream)
        }
        if isShort { call.streamHasRoom() }
    }

    package func finish(_ stream: StreamHandle) {
        let now = outputMoment
        flushSoon(
            state.withLock { state in
                _ = state.connection.sendData([], on: stream, endStream: true)
                return state.askForFlush(now: now)
            })
    }

    package func reset(_ stream: StreamHandle) -> Bool {
        let (wasInLine, wasOpen, hasRoom, hasEvents) = state.withLock { state in
            let wasInLine = state.connection.isWaiting(stream)
            state.connection.reset(stream, .cancel)
            let wasOpen = state.removeCall(of: stream) != nil
            return (
                wasInLine, wasOpen, wasOpen && state.takeRoomReport(), state.connection.hasEvents
            )
        }
        if hasEvents { loop.run { [self] in deliverEvents() } }
        guard wasOpen else { return wasInLine }
        flushSoon()
        endIfDrained()
        if hasRoom { withOwner { $0.linkHasRoom(self) } }
        return wasInLine
    }

    package func obstacle(of stream: StreamHandle) -> StreamObstacle? {
        state.withLock { state in
            if state.connection.isWaiting(stream) { return .streamLimit }
            return state.connection.hasQueuedData(stream) ? .flowControl : nil
        }
    }

    package func consumed(_ consumption: Consumption, on stream: StreamHandle) {
        let hasOutput = state.withLock { state in
            state.connection.consumed(stream, consumption, now: .now)
            return state.connection.hasOutput
        }
        if hasOutput { flushSoon() }
    }
}

extension Connection {
    /// Sends a message on a stream.
    package mutating func sendData(
        _ message: EncodedMessage, on stream: StreamHandle, endStream: Bool
    ) -> SendOutcome {
        switch message {
        case .whole(let bytes): sendData(bytes, on: stream, endStream: endStream)
        case .parts(let parts): sendData(parts: parts, on: stream, endStream: endStream)
        }
    }
}
