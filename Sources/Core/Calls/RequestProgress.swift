/// How far the request of a streaming call has come, for the one task or thread that writes it.
struct RequestProgress {
    /// Messages that were written and not taken yet. Below zero for a moment when one is taken
    /// before its writer has said that it waits for it.
    private var unwrittenCount = 0
    private var isFinished = false
    /// A message went nowhere, because the call had ended.
    private(set) var hasLost = false
}

extension RequestProgress {
    /// Whether everything that was written has been taken.
    var hasRoom: Bool { unwrittenCount <= 0 }

    /// Why no message can be written any more.
    func obstacle(_ end: CallEnd?) -> RPCError? {
        end?.errorOfWriting ?? (isFinished ? .requestIsFinished : nil)
    }

    mutating func finish() { isFinished = true }

    /// A message is about to be written, or was a moment ago.
    mutating func willWrite() { unwrittenCount += 1 }

    /// The same, where nothing is written that is not told here first: what was said to be taken
    /// once too often does not count.
    mutating func willWriteFirst() { unwrittenCount = max(0, unwrittenCount) + 1 }

    mutating func wasWritten(wasTaken: Bool) {
        unwrittenCount -= 1
        if !wasTaken { hasLost = true }
    }
}

extension RPCError {
    /// What a writer is told whose call has ended, while how it did lies behind unread messages.
    static var callHasEnded: RPCError {
        RPCError(.failedPrecondition, "the server ended the call before its request")
    }

    /// The same where it ended well.
    static var callHasEndedWell: RPCError {
        RPCError(.failedPrecondition, "the server ended the call with OK")
    }

    /// What a writer is told that goes on behind the end of its request.
    static var requestIsFinished: RPCError {
        RPCError(.failedPrecondition, "a message behind the end of the request")
    }
}

extension CallEnd {
    /// What a writer is told of a call that has ended.
    var errorOfWriting: RPCError { error ?? .callHasEndedWell }
}
