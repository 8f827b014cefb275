import Synchronization

/// Gathers the response of a call that has one, and hands it over at the call's end.
///
/// A second message is the server's mistake: it is not kept, and the call fails.
final class SingleResponse: CallObserver {
    /// Who waits for the end.
    enum Waiter {
        case continuation(Resumption<RawResponse>)
        case handler(@Sendable (RawResponse) -> Void)
    }

    private struct State {
        var call: (any CallRequests)?
        var message: [UInt8]?
        var initialMetadata = Metadata()
        var hasTooMany = false
        var waiter: Waiter?
        var response: RawResponse?
    }

    private let state: Mutex<State>

    init() { state = Mutex(State()) }

    init(handler: @escaping @Sendable (RawResponse) -> Void) {
        state = Mutex(State(waiter: .handler(handler)))
    }
}

extension SingleResponse {
    /// Asks for the message, and for one more that must not come.
    func expect(from call: any CallRequests) {
        state.withLock { $0.call = call }
        call.receiveNext()
        call.receiveNext()
    }

    /// Has the response handed to `continuation`, at once when it is there already.
    func await(_ continuation: Resumption<RawResponse>) {
        let response = state.withLock { state in
            if state.response == nil { state.waiter = .continuation(continuation) }
            return state.response
        }
        if let response { continuation.resume(returning: response) }
    }

    /// The response, once the call has ended.
    var response: RawResponse? { state.withLock { $0.response } }

    func receive(initialMetadata: Metadata) {
        state.withLock { $0.initialMetadata = initialMetadata }
    }

    func receive(message: [UInt8]) {
        let call: (any CallRequests)? = state.withLock { state in
            guard state.message == nil else {
                state.hasTooMany = true
                return state.call
            }
            state.message = message
            return nil
        }
        call?.fail(.tooManyMessages)
    }

    func messageWasWritten() {}

    func receive(end: CallEnd) {
        let (response, waiter) = state.withLock { state in
            let response = RawResponse(
                message: state.message.take(), initialMetadata: state.initialMetadata, end: end)
            state.response = response
            state.call = nil
            return (response, state.waiter.take())
        }
        switch waiter {
        case nil: break
        case .continuation(let continuation): continuation.resume(returning: response)
        case .handler(let handler): handler(response)
        }
    }
}
