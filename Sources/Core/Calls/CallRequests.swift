import Synchronization

/// The requests that the API of a call (async, blocking, handlers or futures) or an interceptor
/// makes of the call.
///
/// A call is a ``CallCore``, the call of an ``AttemptPolicy`` if the service config has one, or a ``DeferredCall`` if it
/// must wait for its credentials or for the config. With interceptors, it is a chain that ends in one of them. All methods
/// may be called on any thread.
package protocol CallRequests: AnyObject, Sendable {
    /// Starts the call. Messages that were written before are sent together with its headers.
    func start()

    /// Starts a call whose only request is `message` and that expects one response. The observer
    /// gets no report that the message was written.
    func start(only message: consuming EncodedMessage)

    /// Sends a message. The observer gets a report when there is room for the next.
    ///
    /// - Parameter allowsCompression: False sends this message uncompressed on a call that
    ///   compresses.
    func write(_ message: consuming EncodedMessage, andFinish: Bool, allowsCompression: Bool)

    /// Ends the request: no more messages follow.
    func finish()

    /// Asks for one more message.
    func receiveNext()

    /// The error of a write if the server has ended the call, but the observer must first receive the messages
    /// before the end; nil otherwise. Messages that are written from now on are dropped.
    var errorOfUnreadEnd: RPCError? { get }

    /// Whether a server may have received a part of the call.
    var mayHaveSent: Bool { get }

    /// The call itself as a ``CallCore``, if it has neither interceptors nor retries; nil
    /// otherwise.
    var core: CallCore? { get }

    /// Ends the call with an error that was found on this side, and resets its stream. Does nothing after the end.
    func fail(_ error: RPCError)
}

extension CallRequests {
    /// Ends the call with CANCELLED.
    package func cancel() { fail(RPCError(.cancelled, "the call was cancelled")) }

    package var core: CallCore? { nil }

    /// Whether messages that are written from now on are dropped, even if the observer has not
    /// received the end yet. The end of a call with interceptors counts only if it waits for
    /// messages to be read: an interceptor may replace any other end with a new call.
    package var dropsWrites: Bool { core.map(\.isEnded) ?? (errorOfUnreadEnd != nil) }

    /// The error of a write to a call that has ended; nil before the end.
    ///
    /// - Parameter end: The end that the observer has received, if it has.
    func errorOfWriting(_ end: CallEnd?) -> RPCError? {
        if let end { return end.errorOfWriting }
        // Read once: the call may end between two reads.
        if let core { return core.errorOfWriting }
        return errorOfUnreadEnd
    }

    package func write(_ message: consuming EncodedMessage, andFinish: Bool) {
        write(message, andFinish: andFinish, allowsCompression: true)
    }
}

extension CallCore: CallRequests {
    package var core: CallCore? { self }
    package var errorOfUnreadEnd: RPCError? {
        state.withLock { $0.lifetime.hasEnd && $0.inbound.hasMessages } ? errorOfWriting : nil
    }
    package func fail(_ error: RPCError) {
        var error = error
        // This message was not sent, but an earlier one may have been.
        error.mayHaveBeenExecuted = true
        end(with: error)
    }
}

// MARK: - Errors of writes

extension RPCError {
    /// The error of a write to a call that the server has ended, while the observer has not
    /// received the end.
    package static var callHasEnded: RPCError {
        RPCError(
            .failedPrecondition,
            "the server ended the call before the end of the request; read the responses for its status"
        )
    }

    /// The error of a write to a call that has ended with OK.
    package static var callHasEndedWell: RPCError {
        RPCError(
            .failedPrecondition,
            "the server ended the call with OK before the end of the request; stop writing")
    }

    /// The error of a write to a finished request.
    package static var requestIsFinished: RPCError {
        RPCError(
            .failedPrecondition, "a message was written after the request was finished")
    }
}

extension CallEnd {
    /// The error of a write to the call that has ended with this end.
    var errorOfWriting: RPCError { error ?? .callHasEndedWell }
}
