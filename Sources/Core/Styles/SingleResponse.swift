import Synchronization

/// Collects the response of a call with one response, and delivers it at the end of the call.
///
/// A second message is an error of the server: it is dropped, and the call fails.
final class SingleResponse: CallObserver {
    /// Receives the response, once.
    typealias Handler = @Sendable (inout RawResponse) -> Void

    /// Waits for the response. Any thread may deliver it.
    enum Waiter {
        case continuation(Resumption<RawResponse>)
        /// A thread that reads ``SingleResponse/response`` when the gate opens.
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
        /// The response that is kept for a thread at a gate, or until a waiter is set.
        var kept: Kept?
    }

    /// A separate object, which keeps the state of every call small.
    private final class Kept: Sendable {
        let response: RawResponse
        init(_ response: RawResponse) { self.response = response }
    }

    /// Fixed from the start, so that no lock guards it.
    private let handler: Handler?
    private let isForTask: Bool
    private let state: Mutex<State>

    /// - Parameter waiter: Receives the response; nil if ``expect(for:)`` sets it later.
    init(for waiter: Waiter? = nil) {
        handler = nil
        isForTask = waiter == nil
        state = Mutex(State(waiter: waiter))
    }

    init(for handler: @escaping Handler) {
        self.handler = handler
        isForTask = false
        state = Mutex(State())
    }
}

extension SingleResponse {
    /// Sets the waiter of a call that is not started yet.
    func expect(for waiter: Waiter) {
        let kept = state.withLock { state in
            if state.kept == nil { state.waiter = waiter }
            return state.kept
        }
        // The call was cancelled before its start.
        if let kept { waiter.take(kept.response) }
    }

    /// The response, after the end of the call, for a waiter at a gate.
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

    func messageWasWritten(wasAccepted: Bool) {}

    func receive(end: consuming CallEnd) {
        let (message, initialMetadata) = state.withLock { state in
            (state.message.take(), state.initialMetadata.take())
        }
        var response = RawResponse(
            message: message, initialMetadata: initialMetadata, end: end)
        hand(&response)
    }

    var acceptsWholeResponse: Bool { true }
    var isAwaited: Bool { isForTask }

    func receive(_ response: inout RawResponse, from call: any CallRequests) { hand(&response) }

    private func hand(_ response: inout RawResponse) {
        if let handler { return handler(&response) }
        let waiter = state.withLock { $0.waiter.take() }
        switch waiter {
        case .continuation(let continuation)?: continuation.resume(returning: response.take())
        case .gate?, nil: keep(response, for: waiter)
        }
    }

    /// Keeps the response for a thread at a gate, or for a waiter that is set later.
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
