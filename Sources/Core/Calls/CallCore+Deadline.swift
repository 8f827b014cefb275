extension CallCore {
    /// The error of a call that has a stream, or a connection of HTTP/1.1 to itself.
    func deadlineErrorOfSent(to target: Target) -> RPCError {
        let message =
            if isAnswered {
                "the deadline passed after \(target) had begun to answer; its response is not complete"
            } else {
                switch obstacle {
                case .streamLimit:
                    "the deadline passed while the call waited for a stream: the connection to \(target) has as many as the server allows"
                case .flowControl:
                    "the deadline passed before \(target) had accepted the whole request: its flow-control window is used up"
                case nil: "the deadline passed before \(target) answered"
                }
            }
        var error = RPCError(.deadlineExceeded, message)
        error.mayHaveBeenExecuted = true
        return error
    }
}
