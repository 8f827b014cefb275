import SwiftletCore
import SwiftletTransport

extension InterceptedCall {
    enum Event: Sendable {
        case request(ChainRequest)
        case response(ChainResponse)
        case work(@Sendable (any Interceptor, InterceptedCall) -> Void)
    }

    /// The state that the lock of an intercepted call guards.
    struct State: ~Copyable {
        /// The connection with the upper neighbor.
        var seam: ChainSeam
        /// Nil after the end of this part.
        var source: ChainSource?
        var below: ChainLower?
        /// The deadline that this part of the call was started with.
        var deadline = Deadline.never
        var requests = Backlog<ChainRequest>()
        var others = Backlog<Event>()
        /// The thread that handles events.
        var handler = SingleDeliverer()
        var holdsRequests = false
        /// Whether the call was cancelled, so that nothing is held back.
        var isCancelled = false
        /// Whether the call has ended for the caller.
        var isOver = false

        /// Whether the call has ended for the upper neighbor, or that has cancelled it.
        var hasEnded: Bool { isOver || seam.isFinished }
    }
}

extension InterceptedCall.State {
    /// How a request that arrives is treated.
    enum Arrival {
        case handle
        /// It is handled later, if at all.
        case wait
        case refuse(String)
    }

    /// Applies a request of the upper neighbor other than a cancellation. One that must wait is
    /// kept.
    mutating func accept(
        _ kind: CallProgress.Request, _ request: () -> ChainRequest
    ) -> Arrival {
        switch seam.admit(kind) {
        case .pass: break
        case .keep:
            if case .write(let message) = request() { seam.keep(message) }
            return .wait
        case .ignore: return .wait
        case .refuse(let reason): return .refuse(reason)
        }
        let mustWait = handler.isActive || holdsRequests || !requests.isEmpty
        if mustWait { requests.append(request()) }
        if kind == .start {
            for message in seam.takeEarly() { requests.append(.write(message)) }
        }
        return !mustWait && handler.begin() ? .handle : .wait
    }

    /// Applies a cancellation by the upper neighbor: nothing is held back any more. Returns the
    /// requests and the source, which are dropped, and whether an interceptor held requests back.
    mutating func cancel() -> (
        arrival: Arrival, dropped: (Backlog<ChainRequest>, ChainSource?), wereHeld: Bool
    ) {
        guard case .pass = seam.admit(.cancel) else { return (.wait, (Backlog(), nil), false) }
        let (dropped, wereHeld) = ((requests, source.take()), holdsRequests)
        requests = Backlog()
        holdsRequests = false
        isCancelled = true
        guard !handler.isActive else {
            requests.append(.cancel)
            return (.wait, dropped, wereHeld)
        }
        return (handler.begin() ? .handle : .wait, dropped, wereHeld)
    }

    /// The next event to handle; nil ends the turn of the handler.
    mutating func next() -> InterceptedCall.Event? {
        var event = others.popFirst()
        if event == nil, !holdsRequests {
            event = requests.popFirst().map { .request($0) }
        }
        return handler.next(event)
    }
}
