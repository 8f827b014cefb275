import Synchronization

/// What is asked of a call, by a face of it or by an interceptor in front of it.
///
/// A call without interceptors is a ``CallCore``; one with them is their chain, which ends in one.
/// All of it may be called from any thread.
package protocol CallRequests: AnyObject, Sendable {
    /// Starts the call. What was written before goes out together with its headers.
    func start()

    /// Starts a call whose only request is `message` and that is to have one response. Nobody
    /// is told that the message was written.
    func start(only message: consuming EncodedMessage)

    /// Sends a message.
    ///
    /// - Parameter mayCompress: False sends this message as it is on a call that compresses.
    func write(_ message: consuming EncodedMessage, andFinish: Bool, mayCompress: Bool)

    /// Says that no more messages follow.
    func finish()

    /// Asks for one more message.
    func receiveNext()

    /// Whether the server has ended the call behind messages that nobody has read: what is written
    /// from now on goes nowhere, and nobody has been told.
    var hasUnreadEnd: Bool { get }

    /// The call itself, where nothing stands in front of it.
    var core: CallCore? { get }

    /// Ends the call with CANCELLED and resets its stream. Does nothing when it has ended.
    func cancel()

    /// Ends the call with what was found wrong with it here.
    func fail(_ error: RPCError)
}

extension CallRequests {
    package var core: CallCore? { nil }

    /// Whether nothing that is written reaches the server any more, be it told already or not. Of a
    /// call with interceptors an end that waits for nobody is theirs to answer, with a fresh call
    /// perhaps.
    var takesNoMore: Bool { core.map(\.isEnded) ?? hasUnreadEnd }

    /// What a writer is told of a call that has ended, whether its observer has heard of it or not;
    /// nil of one that has not.
    ///
    /// - Parameter end: What the observer has heard.
    func errorOfWriting(_ end: CallEnd?) -> RPCError? {
        end?.errorOfWriting ?? core?.errorOfWriting ?? (takesNoMore ? .callHasEnded : nil)
    }

    func write(_ message: consuming EncodedMessage, andFinish: Bool) {
        write(message, andFinish: andFinish, mayCompress: true)
    }

    package func start(only message: consuming EncodedMessage) {
        write(message, andFinish: true)
        // One for the response, and one for another that must not come.
        receiveNext()
        receiveNext()
        start()
    }
}

extension CallCore: CallRequests {
    package var core: CallCore? { self }
    package var hasUnreadEnd: Bool { state.withLock { $0.ending != nil && !$0.messages.isEmpty } }
    package func fail(_ error: RPCError) {
        var error = error
        // This message was not sent, but those before it may have been, if anything was.
        error.mayHaveBeenExecuted = true
        end(with: error, isImmediate: true)
    }
}
