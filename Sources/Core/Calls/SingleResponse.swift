import Synchronization

/// Gathers the response of a call that has one, and hands it over at the call's end.
///
/// A second message is the server's mistake: it is not kept, and the call fails.
final class SingleResponse: CallObserver {
    /// Is handed the response, once.
    typealias Handler = @Sendable (inout RawResponse) -> Void

    /// Who waits for the end, and can be told so by any thread.
    enum Waiter {
        case continuation(Resumption<RawResponse>)
        /// A thread that looks for ``SingleResponse/response`` when the gate opens.
        case gate(BlockingGate, CompletionQueue)

        fileprivate func take(_ response: consuming RawResponse) {
            switch self {
            case .continuation(let continuation): continuation.resume(returning: response)
            case .gate(let gate, let queue):
                gate.open()
                queue.wakeTurner()
            }
        }
    }

    private struct State {
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

    /// Known from the start, so that no lock guards it.
    private let handler: Handler?
    private let state: Mutex<State>

    /// - Parameter waiter: Who gets the response; nil is somebody who is yet to come.
    init(for waiter: consuming Waiter? = nil) {
        handler = nil
        state = Mutex(State(waiter: waiter))
    }

    init(for handler: @escaping Handler) {
        self.handler = handler
        state = Mutex(State())
    }
}

extension SingleResponse {
    /// Has the response of a call that is not started yet handed to `waiter`.
    func expect(for waiter: Waiter) {
        let kept = state.withLock { state in
            if state.kept == nil { state.waiter = waiter }
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

    func receive(message: [UInt8], from call: any CallRequests) {
        let isFirst = state.withLock { state in
            guard state.message == nil else { return false }
            state.message = message
            return true
        }
        if !isFirst { call.fail(.tooManyMessages) }
    }

    func messageWasWritten(wasTaken: Bool) {}

    func receive(end: consuming CallEnd) {
        let (message, initialMetadata) = state.withLock { state in
            (state.message.take(), state.initialMetadata.take())
        }
        var response = RawResponse(
            message: message, initialMetadata: initialMetadata, end: end)
        hand(&response)
    }

    var takesWhole: Bool { true }

    func receive(_ response: inout RawResponse, from call: any CallRequests) { hand(&response) }

    private func hand(_ response: inout RawResponse) {
        if let handler { return handler(&response) }
        let waiter = state.withLock { $0.waiter.take() }
        switch waiter {
        case .continuation(let continuation)?: continuation.resume(returning: response.take())
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
