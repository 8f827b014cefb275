package import SwiftletTransport
import Synchronization

// What a face asks of its call.

extension CallCore {
    /// What became of a message that was written.
    enum WriteOutcome {
        /// The transport has it, and there is room for the next.
        case taken
        /// The observer will hear when there is room.
        case awaitsRoom
        /// The call is over, or ends with this.
        case ended
    }

    /// Sends a message. The observer hears when it was taken; a face that respects back-pressure writes the next one then.
    ///
    /// - Parameter mayCompress: False sends this message as it is on a call that compresses.
    package func write(
        _ message: consuming EncodedMessage, andFinish: Bool, mayCompress: Bool
    ) {
        switch put(message, andFinish: andFinish, mayCompress: mayCompress) {
        case .awaitsRoom: return
        case .taken: state.withLock { $0.unreportedWriteCount += 1 }
        // The end of a call that is over may lie behind messages, and nobody waits for room till
        // then.
        case .ended: state.withLock { $0.unreportedLossCount += 1 }
        }
        deliver()
    }

    /// The same, for a caller who looks at the outcome: the observer is told of what had to wait
    /// alone.
    func put(
        _ message: consuming EncodedMessage, andFinish: Bool, mayCompress: Bool
    ) -> WriteOutcome {
        let framed: EncodedMessage
        do throws(RPCError) {
            framed = try head.frame(message, mayCompress: mayCompress)
        } catch {
            fail(error)
            return .ended
        }
        let (outcome, stage): (WriteOutcome, Stage) = state.withLock { state in
            guard !state.log.isFinished, !state.isOver else { return (.ended, .ended) }
            state.times.sentByteCount += framed.byteCount
            if case .attached = state.stage {
                state.log.passThrough(framed, andFinish: andFinish)
                return (.taken, state.stage)
            }
            state.log.append(framed, andFinish: andFinish)
            guard state.log.byteCount >= RequestLog.replayByteCount else {
                return (.taken, state.stage)
            }
            state.roomlessWriteCount += 1
            return (.awaitsRoom, state.stage)
        }
        guard case .attached(let carrier, let stream) = stage,
            !carrier.send(framed, on: stream, andFinish: andFinish)
        else { return outcome }
        state.withLock { $0.roomlessWriteCount += 1 }
        carrier.reportRoom(on: stream, to: self)
        return .awaitsRoom
    }

    /// Says that no more messages follow.
    package func finish() {
        let stage: Stage? = state.withLock { state in
            guard !state.log.isFinished, !state.isOver else { return nil }
            state.log.finish()
            if case .attached = state.stage { _ = state.log.takePortion() }
            return state.stage
        }
        if case .attached(let carrier, let stream) = stage { carrier.finish(stream) }
    }

    /// Asks for one more message.
    package func receiveNext() { receiveNext(afterReading: 0) }

    /// Asks for one more message, when so many octets of those that the observer kept were read.
    /// Returns whether there was something to tell.
    @discardableResult
    func receiveNext(afterReading byteCount: Int) -> Bool {
        let hasNews = state.withLock { state in
            state.demand += 1
            state.keptByteCount -= byteCount
            return state.hasNews
        }
        guard hasNews else { return false }
        deliver()
        returnWindow()
        return true
    }

    /// So many octets of the messages that the observer kept were read.
    func wasRead(_ byteCount: Int) {
        state.withLock { $0.keptByteCount -= byteCount }
        returnWindow()
    }

    /// Ends the call with CANCELLED and resets its stream. Does nothing when it has ended.
    package func cancel() {
        end(with: RPCError(.cancelled, "the call was cancelled"), isImmediate: true)
    }
}

// MARK: - The end from this side

extension CallCore: TimerTarget {
    package func timerFired(now: MonotonicInstant) { deadlineExceeded() }

    func deadlineExceeded() {
        end(with: backend.deadlineError(of: self), isImmediate: true)
    }

    /// Ends the call with an error of our own. One that is immediate takes the place of an end that
    /// waits behind messages which nobody has read.
    package func end(with error: RPCError, isImmediate: Bool) {
        let now = MonotonicInstant.now
        let (stage, timer): (Stage?, TimerHandle?) = state.withLock { state in
            guard state.isOver else {
                let error = state.mayHaveSent ? error : error.notExecuted
                return state.finish(CallEnd(error: error), isImmediate: isImmediate, at: now)
            }
            return (isImmediate && state.replaceEnding(with: error) ? .ended : nil, nil)
        }
        if let timer { loop.cancel(timer) }
        switch stage {
        case nil: return
        case .idle, .ended: break
        case .seeking: backend.forget(self)
        case .attached(let carrier, let stream):
            let wasInLine = carrier.reset(stream)
            if wasInLine { state.withLock { $0.noteUnsent() } }
        }
        deliver()
    }
}

extension CallCore.State {
    /// Nothing of the call that has ended was sent.
    fileprivate mutating func noteUnsent() {
        ending?.end.error?.mayHaveBeenExecuted = false
        failure?.mayHaveBeenExecuted = false
    }

    /// False when no end waits to be told, or one that waits for nothing.
    fileprivate mutating func replaceEnding(with error: RPCError) -> Bool {
        guard let ending, !ending.isImmediate else { return false }
        messages.removeAll()
        failure = error
        self.ending = CallCore.Ending(
            end: CallEnd(error: error, trailers: ending.end.trailers), isImmediate: true)
        return true
    }
}
