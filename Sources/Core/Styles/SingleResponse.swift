import Synchronization

/// Collects the response of a call with one response, and delivers it at the end of the call.
///
/// A second message is an error of the server: it is dropped, and the call fails.
package final class SingleResponse: CallObserver {
    /// Receives the response, once.
    package typealias Handler = @Sendable (inout RawResponse) -> Void

    private struct State: ~Copyable {
        var message: [UInt8]?
        var initialMetadata: Metadata?
        var waiter: Resumption<RawResponse>?
        /// The response that is kept until a waiter is set.
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

    /// A response for the waiter that ``expect(for:)`` sets.
    package init(isForTask: Bool = true) {
        handler = nil
        self.isForTask = isForTask
        state = Mutex(State())
    }

    package init(for handler: @escaping Handler) {
        self.handler = handler
        isForTask = false
        state = Mutex(State())
    }
}

extension SingleResponse {
    /// Sets the waiter of a call that is not started yet.
    package func expect(for waiter: Resumption<RawResponse>) {
        let kept = state.withLock { state in
            if state.kept == nil { state.waiter = waiter }
            return state.kept
        }
        // The call ended before its start.
        if let kept { waiter.resume(returning: kept.response) }
    }

    package func receive(initialMetadata: Metadata) {
        state.withLock { $0.initialMetadata = initialMetadata }
    }

    package func receive(message: [UInt8], from call: any CallRequests) {
        do throws(RPCError) {
            try state.withLock { state throws(RPCError) in
                try state.message.receiveOnly(message, of: nil)
            }
        } catch {
            call.fail(error)
        }
    }

    package func messageWasWritten(wasAccepted: Bool) {}

    package func receive(end: consuming CallEnd) {
        let (message, initialMetadata) = state.withLock { state in
            (state.message.take(), state.initialMetadata.take())
        }
        var response = RawResponse(
            message: message, initialMetadata: initialMetadata, end: end)
        hand(&response)
    }

    package var acceptsWholeResponse: Bool { true }
    package var isAwaited: Bool { isForTask }

    package func receive(_ response: inout RawResponse, from call: any CallRequests) {
        hand(&response)
    }

    private func hand(_ response: inout RawResponse) {
        if let handler { return handler(&response) }
        let waiter = state.withLock { $0.waiter.take() }
        guard let waiter else { return keep(response.take()) }
        waiter.resume(returning: response.take())
    }

    /// Keeps the response for a waiter that is set later.
    private func keep(_ response: RawResponse) {
        let kept = Kept(response)
        let late = state.withLock { state in
            state.kept = kept
            return state.waiter.take()
        }
        late?.resume(returning: response)
    }
}
