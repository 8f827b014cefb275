/// What has passed between two neighbours of a chain, and so what may pass next.
///
/// | state | requests | responses |
/// | --- | --- | --- |
/// | initialised | start, receive-next, cancel | |
/// | started | write, finish, receive-next, cancel | initial metadata, message, write done, close |
/// | half-closed | receive-next, cancel | the same |
/// | finished | nothing has an effect | nothing has an effect |
///
/// Of the responses, initial metadata comes once and before any message.
struct CallProgress {
    enum State: Hashable {
        case initialised, started, halfClosed, finished
    }

    enum Request: String, Hashable, CaseIterable {
        case start, write, finish, cancel
        case receiveNext = "receive-next"
    }

    enum Response: String, Hashable, CaseIterable {
        case initialMetadata = "initial metadata"
        case message, close
        case writeDone = "write done"
    }

    enum Verdict: Hashable {
        case pass
        /// The call is over; the event is let fall without a word.
        case ignore
        /// The event is not on the table; why, in words.
        case refuse(String)
    }

    private(set) var state = State.initialised
    private var initialMetadataHasPassed = false
}

extension CallProgress {
    /// Moves on with a request, when it is allowed.
    mutating func admit(_ request: Request) -> Verdict {
        switch (state, request) {
        case (.finished, _): return .ignore
        case (_, .receiveNext): break
        case (_, .cancel): state = .finished
        case (.initialised, .start): state = .started
        case (.started, .write): break
        case (.started, .finish): state = .halfClosed
        case (.initialised, .write), (.initialised, .finish), (.started, .start),
            (.halfClosed, .start), (.halfClosed, .write), (.halfClosed, .finish):
            return .refuse("'\(request.rawValue)' is not allowed in a call that is \(state)")
        }
        return .pass
    }

    /// Moves on with a response, when it is allowed.
    mutating func admit(_ response: Response) -> Verdict {
        switch (state, response) {
        case (.finished, _): return .ignore
        case (.initialised, _):
            return .refuse("'\(response.rawValue)' is not allowed in a call that is \(state)")
        case (_, .close): state = .finished
        case (_, .initialMetadata):
            guard !initialMetadataHasPassed else {
                return .refuse("'initial metadata' came a second time, or after a message")
            }
            initialMetadataHasPassed = true
        case (_, .message):
            guard initialMetadataHasPassed else {
                return .refuse("'message' came before 'initial metadata'")
            }
        case (_, .writeDone): break
        }
        return .pass
    }

    /// Ends the call between the two, whatever has passed. False when it was over already.
    mutating func abandon() -> Bool {
        defer { state = .finished }
        return state != .finished
    }
}

extension CallProgress.State: CustomStringConvertible {
    var description: String {
        switch self {
        case .initialised: "not started"
        case .started: "started"
        case .halfClosed: "half-closed"
        case .finished: "finished"
        }
    }
}
