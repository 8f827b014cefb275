import Synchronization

/// Gathers the response of a call that has one, and hands it over at the call's end.
///
/// A second message is the server's mistake: it is not kept, and the call fails.
final class SingleResponse: CallObserver {
    /// Who waits for the end.
    enum Waiter {
        case continuation(Resumption<RawResponse>)
        case handler(@Sendable (consuming RawResponse) -> Void)
        /// A thread that looks for ``SingleResponse/response`` when the gate opens.
        case gate(BlockingGate, CompletionQueue)

        fileprivate func take(_ response: consuming RawResponse) {
            switch self {
            case .continuation(let continuation): continuation.resume(returning: response)
            case .handler(let handler): handler(response)
            case .gate(let gate, let queue):
                gate.open()
                queue.wakeTurner()
            }
        }
    }

    private struct State {
        var call: (any CallRequests)?
        var message: [UInt8]?
        var initialMetadata: Metadata?
        var waiter: Waiter?
        /// For who waits at a gate, or does not wait yet.
        var kept: Kept?
    }

    /// Apart from the state, which every call makes, and few need this of it.
    private final class Kept: Sendable {
        let response: RawResponse
        init(_ response: RawResponse) { self.response = response }
    }

    private let state: Mutex<State>

    /// - Parameter waiter: Who gets the response; nil is somebody who is yet to come.
    init(for waiter: consuming Waiter? = nil) { state = Mutex(State(waiter: waiter)) }
}

extension SingleResponse {
    /// Expects the response of `call`, which is not started yet.
    func expect(from call: any CallRequests) { state.withLock { $0.call = call } }

    /// Has the response of `call`, which is not started yet, handed to `waiter`.
    func expect(from call: any CallRequests, _ waiter: Waiter) {
        let kept = state.withLock { state in
            if state.kept == nil {
                state.call = call
                state.waiter = waiter
            }
            return state.kept
        }
        // It was cancelled before its start.
        if let kept { waiter.take(kept.response) }
    }

    /// The response, once the call has ended, for who waits at a gate.
    var response: RawResponse? { state.withLock { $0.kept }?.response }

    func receive(initialMetadata: Metadata) {
        state.withLock { $0.initialMetadata = initialMetadata }
    }

    func receive(message: [UInt8]) {
        let call: (any CallRequests)? = state.withLock { state in
            guard state.message == nil else { return state.call }
            state.message = message
            return nil
        }
        call?.fail(.tooManyMessages)
    }

    func messageWasWritten(wasTaken: Bool) {}

    func receive(end: consuming CallEnd) {
        let (message, initialMetadata) = state.withLock { state in
            (state.message.take(), state.initialMetadata.take())
        }
        receive(initialMetadata, message, end: end)
    }

    var takesWhole: Bool { true }

    func receive(
        _ initialMetadata: consuming Metadata?, _ message: consuming [UInt8]?,
        end: consuming CallEnd
    ) {
        let waiter = state.withLock { state in
            state.call = nil
            return state.waiter.take()
        }
        let response = RawResponse(
            message: message, initialMetadata: initialMetadata ?? Metadata(), end: end)
        switch waiter {
        case .continuation?, .handler?: waiter?.take(response)
        case .gate?, nil: keep(response, for: waiter)
        }
    }

    /// For a thread at a gate; or for somebody who may have come to wait since the last look.
    private func keep(_ response: RawResponse, for waiter: Waiter?) {
        let kept = Kept(response)
        let late = state.withLock { state in
            state.kept = kept
            return state.waiter.take()
        }
        waiter?.take(response)
        late?.take(response)
    }
}
