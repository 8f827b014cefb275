package import SwiftletTransport
import Synchronization

// The arrivals of a call, which its connection receives.

/// The parts of a response that have arrived at once, in the order of the protocol.
package struct CallArrival {
    var initial: ResponseHead.Initial?
    /// The pieces of the body: indices into the list of ranges that is passed with the arrival.
    var pieces = 0..<0
    var end: ResponseEnd?

    package init(initial: ResponseHead.Initial? = nil, end: ResponseEnd? = nil) {
        self.initial = initial
        self.end = end
    }
}

extension CallCore {
    /// Receives an arrival without a body, and delivers it. If the arrival has an end, the carrier
    /// removes the call from its stream before it calls this function.
    ///
    /// - Returns: The bytes that the caller must return to the stream's window.
    @discardableResult
    package func receive(
        _ arrival: consuming CallArrival, at now: MonotonicInstant
    ) -> Consumption {
        var arrival = arrival
        return receive(&arrival, Span(), [], at: now)
    }

    /// Receives a piece of the response's body.
    package func receive(_ bytes: Span<UInt8>, at now: MonotonicInstant) -> Consumption {
        var arrival = CallArrival()
        arrival.pieces = 0..<1
        return receive(&arrival, bytes, [0..<bytes.count], at: now)
    }

    /// - Parameters:
    ///   - bytes: The bytes that the connection has read.
    ///   - pieces: Ranges of `bytes`; the arrival refers to some of them.
    func receive(
        _ arrival: inout CallArrival, _ bytes: Span<UInt8>, _ pieces: [Range<Int>],
        at now: MonotonicInstant
    ) -> Consumption {
        if let filter = head.rules?.responseFilter { pass(&arrival, through: filter) }
        let hasBody = !arrival.pieces.isEmpty
        var received = state.withLock { $0.receive(&arrival, of: self, bytes, pieces, now) }
        if received.isOver {
            noteEnd()
        } else if received.isCommitted {
            meter?.forgetMessages()
        }
        received.kept = KeptParts()
        received.tracked?.report()
        if let (carrier, stream) = received.abandoned.take() { carrier.reset(stream) }
        if let next = received.next { prepare(next) }
        return deliver(
            received.delivery,
            returnsWindow: hasBody && !received.isOver && received.next == nil)
    }

    /// Lets the filter change the metadata with which the response begins, if it is in the arrival.
    private func pass(_ arrival: inout CallArrival, through filter: any ResponseFilter) {
        HeldLocks.assertNone(calling: "response filter")
        if var initial = arrival.initial.take() {
            filter.responseBegins(with: &initial.metadata)
            arrival.initial = initial
        } else if arrival.end?.isOfServer == true, !isAnswered {
            guard var trailers = arrival.end?.trailers else { return }
            filter.responseBegins(with: &trailers)
            arrival.end?.trailers = trailers
            if arrival.end?.error != nil { arrival.end?.error?.metadata = trailers }
        }
    }

    /// Lends the message that is arriving, so that bytes are read into it. Also returns how many
    /// bytes the message lacks. Nil if it lacks fewer than `missing`, or the call has ended.
    ///
    /// - Parameter arrived: The bytes that have arrived and can be appended to the message.
    func lendMessage(missing: Int, arrived: Int) -> (bytes: [UInt8], missing: Int)? {
        state.withLock { state in
            state.lifetime.isOver ? nil : state.inbound.lend(missing: missing, arrived: arrived)
        }
    }

    /// Takes back the lent message, with the bytes that were read into it.
    ///
    /// - Parameter byteCount: The payload bytes of the frames that these bytes completed.
    /// - Returns: The bytes that the caller must return to the stream's window.
    func receive(placed bytes: consuming [UInt8], wholeFrames byteCount: Int) -> Consumption {
        var bytes = bytes
        let delivery = state.withLock { state -> Delivery? in
            guard !state.lifetime.isOver else { return nil }
            state.inbound.takeBack(&bytes, wholeFrames: byteCount)
            return state.beginDelivering()
        }
        return deliver(delivery, returnsWindow: true)
    }
}

extension CallCore.State {
    /// The actions to perform outside the lock after an arrival was received.
    fileprivate struct Received: ~Copyable {
        /// The stream of a call that has ended while the server still sends.
        var abandoned: (any StreamCarrier, StreamHandle)?
        var isOver = false
        /// Whether the server has begun to answer.
        var isCommitted = false
        var tracked: TrackedEnd?
        /// Released before the observer receives anything.
        var kept = KeptParts()
        /// Set if the attempt has ended and the call has not.
        var next: CallCore.NextAttempt?
        var delivery: CallCore.Delivery?

        mutating func take(_ ending: consuming CallCore.Ending) {
            isOver = ending.next == nil
            tracked = ending.tracked
            if kept.isEmpty { kept = ending.kept }
            next = ending.next
        }
    }

    fileprivate mutating func receive(
        _ arrival: inout CallArrival, of call: CallCore, _ bytes: Span<UInt8>,
        _ pieces: [Range<Int>], _ now: MonotonicInstant
    ) -> Received {
        var received = Received()
        guard !lifetime.isOver else {
            received.isOver = true
            return received
        }
        do throws(RPCError) {
            if let initial = arrival.initial.take() {
                receive(initial, of: call, now)
                received.isCommitted = true
                received.kept = lifetime.takeKept()
            }
            for index in arrival.pieces { try inbound.receiveBody(bytes.extracting(pieces[index])) }
            if let end = arrival.end.take() { received.take(receive(end, of: call, now)) }
        } catch {
            let refusal = ResponseEnd(error: error, isImmediate: true)
            let ending = finishAttempt(refusal, of: call, at: now, isAnswered: true)
            if case .attached(let carrier, let stream) = ending.stage {
                received.abandoned = (carrier, stream)
            }
            received.take(ending)
        }
        received.delivery = beginDelivering()
        return received
    }

    private mutating func receive(
        _ initial: consuming ResponseHead.Initial, of call: CallCore, _ now: MonotonicInstant
    ) {
        // A stream may wait long for its first message.
        if let sent = outbound.commit(), !call.head.method.shape.hasResponseStream {
            inbound.reuse(sent)
        }
        lifetime.noteFirstByte(at: now)
        inbound.receiveHeaders(
            httpStatus: initial.httpStatus, initial.encoding, initial.metadata)
    }

    private mutating func receive(
        _ end: consuming ResponseEnd, of call: CallCore, _ now: MonotonicInstant
    ) -> CallCore.Ending {
        lifetime.noteFirstByte(at: now)
        if let error = end.error, error.code == .cancelled, call.deadline.remaining == .zero {
            end = ResponseEnd(error: error.late)
        }
        if end.error == nil, var error = inbound.endBody() {
            error.metadata = end.trailers
            end.error = error
        }
        return finishAttempt(end, of: call, at: now, isAnswered: true)
    }
}
