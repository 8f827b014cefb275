import SwiftletTransport
import Synchronization

// Requests of the call's API (async, blocking, handlers or futures) or of an interceptor.

extension CallCore {
    /// The outcome of a write.
    enum WriteOutcome {
        /// The transport has the message, and there is room for the next.
        case accepted
        /// The transport has the message. The observer gets a report when there is room for the
        /// next.
        case awaitsRoom
        /// The message was dropped: the call has ended, or ends because of it.
        case ended
    }

    package func write(
        _ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool
    ) {
        switch put(message, andFinish: andFinish, allowsCompression: allowsCompression) {
        case .awaitsRoom: return
        case .accepted: state.withLock { $0.outbound.noteWrite() }
        // Reported at once: the end of the call may have to wait for messages that the observer has
        // not asked for.
        case .ended: state.withLock { $0.outbound.noteLoss() }
        }
        deliver()
    }

    /// Sends a message, for a caller that uses the outcome. The observer gets a report only if the
    /// outcome is ``WriteOutcome/awaitsRoom``.
    func put(
        _ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool
    ) -> WriteOutcome {
        let framed: EncodedMessage
        do throws(RPCError) {
            framed = try frame(message, allowsCompression: allowsCompression)
        } catch {
            fail(error)
            return .ended
        }
        typealias Written = (outcome: WriteOutcome, stage: Lifetime.Stage, isCommitted: Bool)
        let (outcome, stage, isCommitted): Written = state.withLock { state in
            guard !state.lifetime.isOver else { return (.ended, .ended, false) }
            let outcome = state.outbound.write(
                framed, andFinish: andFinish, hasStream: state.lifetime.hasStream)
            if case .ended = outcome { return (.ended, .ended, false) }
            return (outcome, state.lifetime.stage, state.outbound.isCommitted)
        }
        if isCommitted { meter?.forgetMessages() }
        guard case .attached(let carrier, let stream) = stage,
            !carrier.send(framed, on: stream, andFinish: andFinish)
        else { return outcome }
        state.withLock { $0.outbound.noteBlockedWrite() }
        carrier.reportRoom(on: stream, to: self)
        return .awaitsRoom
    }

    package func finish() {
        let stage: Lifetime.Stage? = state.withLock { state in
            guard !state.lifetime.isOver,
                state.outbound.finish(hasStream: state.lifetime.hasStream)
            else { return nil }
            return state.lifetime.stage
        }
        if case .attached(let carrier, let stream) = stage { carrier.finish(stream) }
    }

    /// Asks for one more message. An observer that keeps messages and reports no reads asks when it has read all of them.
    package func receiveNext() { receiveNext(afterReading: nil) }

    /// Asks for one more message, after the observer has read `byteCount` bytes of the messages
    /// that it keeps; nil means all of them.
    ///
    /// - Returns: Whether there was something to deliver.
    @discardableResult
    func receiveNext(afterReading byteCount: Int?) -> Bool {
        let hasDeliveries = state.withLock { state in
            state.inbound.request()
            state.inbound.noteRead(byteCount)
            return state.hasDeliveries
        }
        if hasDeliveries { deliverPending() }
        return hasDeliveries
    }

    /// The observer has read `byteCount` bytes of the messages that it keeps.
    func wasRead(_ byteCount: Int) {
        state.withLock { $0.inbound.noteRead(byteCount) }
        returnWindow()
    }
}
