package import SwiftletTransport
import Synchronization

// What a face asks of its call.

extension CallCore {
    /// Sends a message whose first five octets are reserved for its prefix. The observer hears
    /// when it was taken; a face that respects back-pressure writes the next one then.
    ///
    /// - Parameter mayCompress: False sends this message as it is on a call that compresses.
    package func write(
        _ message: consuming [UInt8], andFinish: Bool, mayCompress: Bool
    ) {
        let framed: [UInt8]
        do throws(RPCError) {
            framed = try head.frame(message, mayCompress: mayCompress)
        } catch {
            var error = error
            // This message was not sent, but those before it may have been.
            error.mayHaveBeenExecuted = hasStream
            return end(with: error, isImmediate: true)
        }
        let stage: Stage? = state.withLock { state in
            guard !state.log.isFinished, !state.isOver else { return nil }
            state.times.sentByteCount += framed.count
            if case .attached = state.stage {
                state.log.passThrough(framed, andFinish: andFinish)
            } else {
                state.log.append(framed, andFinish: andFinish)
                if state.log.byteCount < RequestLog.replayByteCount {
                    state.unreportedWriteCount += 1
                } else {
                    state.awaitsRoom = true
                }
            }
            return state.stage
        }
        switch stage {
        case nil, .ended: return
        case .idle, .seeking: break
        case .attached(let carrier, let stream):
            let hasRoom = carrier.send(framed, on: stream, andFinish: andFinish)
            state.withLock { state in
                if hasRoom { state.unreportedWriteCount += 1 } else { state.awaitsRoom = true }
            }
            if !hasRoom { carrier.reportRoom(on: stream, to: self) }
        }
        deliver()
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
    func receiveNext(afterReading byteCount: Int) {
        state.withLock { state in
            state.demand += 1
            state.keptByteCount -= byteCount
        }
        deliver()
        returnWindow()
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

    /// Ends the call with an error of our own.
    package func end(with error: RPCError, isImmediate: Bool) {
        finishUp(CallEnd(error: error), isImmediate: isImmediate)
    }

    func finishUp(_ end: consuming CallEnd, isImmediate: Bool) {
        var end: CallEnd? = end
        let (stage, timer): (Stage, TimerHandle?) = state.withLock { state in
            guard !state.isOver, var ending = end.take() else { return (.ended, nil) }
            var stage = Stage.ended
            swap(&stage, &state.stage)
            ending.compressedMessages = state.compressedMessages
            ending.httpStatus = state.httpStatus
            state.ending = Ending(end: ending, isImmediate: isImmediate)
            if state.times.lastByte == nil { state.times.lastByte = .now }
            if isImmediate { state.messages.removeAll() }
            state.log.commit()
            return (stage, state.deadlineTimer.take())
        }
        if let timer { loop.cancel(timer) }
        switch stage {
        case .ended: return
        case .idle: break
        case .seeking: backend.forget(self)
        case .attached(let carrier, let stream): carrier.reset(stream)
        }
        deliver()
    }
}
