import SwiftletCore
import SwiftletHTTP1
import SwiftletTransport
import Synchronization

// The call on a connection of HTTP/1.1, and its requests.

extension HTTP1Link {
    func place(_ call: CallCore, _ prepared: PreparedHeaders) -> CallPlacing {
        if let error = refusal(of: call, prepared) {
            call.attemptFailed(with: error)
            return .placed
        }
        let stream: StreamHandle?
        let placing: CallPlacing
        (stream, placing) = state.withLock { state in
            guard state.ending == nil, !state.isLeaving else { return (nil, .refused) }
            guard state.isFree else { return (nil, .busy) }
            state.exchangeCount &+= 1
            let stream = StreamHandle(slot: 0, generation: state.exchangeCount)
            state.exchange = HTTP1Exchange(call: call, stream: stream, prepared: prepared)
            return (stream, .placed)
        }
        if let stream { loop.run { [self] in begin(call, stream) } }
        return placing
    }

    private func refusal(of call: CallCore, _ prepared: PreparedHeaders) -> RPCError? {
        guard call.head.isPlain else { return .needsHTTP2(peer) }
        return wire.refusal(of: call, prepared, peer: peer)
    }

    private func begin(_ call: CallCore, _ stream: StreamHandle) {
        let isReused = stream.generation > 1
        // The server may have closed an idle connection. The call is then begun again.
        if isReused { read(untilEmpty: false) }
        guard let exchange = state.withLock({ $0.exchange }), exchange.stream == stream else {
            return
        }
        guard var request = call.takeRequest() else {
            state.withLock { $0.exchange = nil }
            return becomeFree()
        }
        // If a closed connection has lost the request, it is sent again on a new connection:
        // another kept connection may be closed as well. And an observer may turn the loop by hand inside of
        // a read, which must check all bytes first: those that follow a response must not be mistaken for the
        // response to the next request.
        guard !isReused || !request.isRepeated && state.withLock({ $0.buffer != nil }) else {
            call.requestWasNotSent()
            return close(.closed("the connection takes no more calls"))
        }
        var body: [UInt8] = []
        request.takeEach { message, _ in body += message.bytes }
        state.withLock { state in
            state.startedCallCount += 1
            state.exchange?.isAttached = true
            state.exchange?.body = body
        }
        let hasDeliveries = call.attach(to: self, stream, record, attempt: request.attempt)
        if request.isFinish { requestWasFinished(stream) }
        if hasDeliveries { call.deliverPending() }
    }

    /// The call has finished its request.
    private func requestWasFinished(_ stream: StreamHandle) {
        if !sendRequest(stream) { becomeFree() }
    }

    /// Sends the complete request at once. False if the engine refuses the request, which ends the
    /// call.
    private func sendRequest(_ stream: StreamHandle) -> Bool {
        guard let exchange = state.withLock({ $0.exchange }), exchange.stream == stream,
            !exchange.isSent, let call = exchange.call
        else { return true }
        let head = exchange.head(of: call)
        let refusal: HTTP1Error? = state.withLock { state in
            // The call may have ended in the meantime, and another one may have the connection.
            guard state.exchange?.stream == stream else { return nil }
            do throws(HTTP1Error) {
                let byteCount = exchange.body.count
                try state.connection.begin(head, byteCount == 0 ? .none : .sized(byteCount))
                try state.connection.send(exchange.body)
                try state.connection.finish()
                state.connection.takeOutput(into: &state.output)
                state.exchange?.isSent = true
                state.exchange?.body = []
                return nil
            } catch {
                state.exchange = nil
                return error
            }
        }
        if let refusal {
            call.end(with: .refused(.invalidArgument, refusal.message))
            return false
        }
        write()
        return true
    }
}

extension HTTP1Link: StreamCarrier {
    var readingLoop: EventLoop? { loop }

    func send(
        _ framedMessage: EncodedMessage, on stream: StreamHandle, andFinish: Bool
    ) -> Bool {
        loop.run { [self] in
            state.withLock { state in
                guard state.exchange?.stream == stream else { return }
                state.exchange?.body += framedMessage.bytes
            }
            if andFinish { requestWasFinished(stream) }
        }
        return true
    }

    func reportRoom(on stream: StreamHandle, to call: CallCore) { call.streamHasRoom() }

    func finish(_ stream: StreamHandle) { loop.run { [self] in requestWasFinished(stream) } }

    /// HTTP/1.1 cannot end a single request that was sent, so this ends the connection. Until then
    /// the abandoned exchange keeps it from carrying another.
    func reset(_ stream: StreamHandle) -> Bool {
        let abandoned: HTTP1Exchange? = state.withLock { state in
            guard let exchange = state.exchange, exchange.stream == stream, exchange.call != nil
            else { return nil }
            if exchange.isSent { state.exchange?.call = nil } else { state.exchange = nil }
            return exchange
        }
        guard let abandoned else { return false }
        let wasSent = abandoned.isSent
        loop.run { [self] in
            if wasSent { close(.closed("the call was cancelled")) } else { becomeFree() }
        }
        return !wasSent
    }

    /// Has no effect: the response's body is collected up to the call's limit, and there is no
    /// window.
    func consumed(_ consumption: Consumption, on stream: StreamHandle) {}
}
