/// How much of a streaming call's request has been accepted, for the task or thread that writes it.
struct RequestProgress {
    /// Messages that were written and not accepted yet. Below zero for a moment if a message is
    /// accepted before its writer counts it.
    private var unwrittenCount = 0
    private var isFinished = false
    /// Whether a message was dropped because the call had ended.
    private(set) var hasLost = false
}

extension RequestProgress {
    /// Whether all messages were accepted.
    var hasRoom: Bool { unwrittenCount <= 0 }

    /// The error that another write would throw; nil if a write is allowed. A write to a finished
    /// request is a mistake of the program, even if the call has ended in the meantime.
    func failure(_ end: CallEnd?) -> RPCError? {
        isFinished ? .requestIsFinished : end?.errorOfWriting
    }

    mutating func finish() { isFinished = true }

    /// A message is about to be written, or was just written.
    mutating func willWrite() { unwrittenCount += 1 }

    /// A message is about to be written. For a call that may report a message as accepted more than
    /// once: earlier surplus reports do not count.
    mutating func willWriteFirst() { unwrittenCount = max(0, unwrittenCount) + 1 }

    mutating func wasWritten(wasAccepted: Bool) {
        unwrittenCount -= 1
        if !wasAccepted { hasLost = true }
    }
}

extension RPCError {
    /// The error of a write to a call that the server has ended, while the observer has not
    /// received the end.
    static var callHasEnded: RPCError {
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
    static var requestIsFinished: RPCError {
        RPCError(
            .failedPrecondition, "a message was written after the request was finished")
    }
}

extension CallEnd {
    /// The error of a write to the call that has ended with this end.
    var errorOfWriting: RPCError { error ?? .callHasEndedWell }
}
