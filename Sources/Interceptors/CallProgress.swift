import SwiftletCore

/// The state of a call between two neighbors of a chain, and the events that it allows.
///
/// | state | requests | responses |
/// | --- | --- | --- |
/// | initialised | start, write, receive-next, cancel | |
/// | started | write, finish, receive-next, cancel | initial metadata, message, write done, close |
/// | half-closed | receive-next, cancel | the same |
/// | finished | nothing has an effect | nothing has an effect |
///
/// Writes before the start are kept and sent after it. Initial metadata is delivered once, before
/// any message.
struct CallProgress {
    enum State: Equatable {
        case initialised, started, halfClosed, finished
    }

    enum Request: String, Equatable, CaseIterable {
        case start, write, finish, cancel
        case receiveNext = "receive-next"
    }

    enum Response: String, Equatable, CaseIterable {
        case initialMetadata = "initial metadata"
        case message, close
        case writeDone = "write done"
    }

    enum Verdict: Equatable {
        case pass
        /// The event is passed on after the start.
        case keep
        /// The call has ended; the event is dropped.
        case ignore
        /// The event is not allowed; the text is the reason.
        case refuse(String)
    }

    private(set) var state = State.initialised
    private var initialMetadataHasPassed = false
}

extension CallProgress {
    /// Applies a request, if it is allowed.
    mutating func admit(_ request: Request) -> Verdict {
        switch (state, request) {
        case (.finished, _): return .ignore
        case (_, .receiveNext): break
        case (_, .cancel): state = .finished
        case (.initialised, .start): state = .started
        case (.initialised, .write): return .keep
        case (.started, .write): break
        case (.started, .finish): state = .halfClosed
        case (.initialised, .finish), (.started, .start), (.halfClosed, .start),
            (.halfClosed, .write), (.halfClosed, .finish):
            return .refuse("'\(request.rawValue)' is not allowed in a call that is \(state)")
        }
        return .pass
    }

    /// Applies a response, if it is allowed. Never returns ``Verdict/keep``.
    mutating func admit(_ response: Response) -> Verdict {
        switch (state, response) {
        case (.finished, _): return .ignore
        case (.initialised, _):
            return .refuse("'\(response.rawValue)' is not allowed in a call that is \(state)")
        case (_, .close): state = .finished
        case (_, .initialMetadata):
            guard !initialMetadataHasPassed else {
                return .refuse("'initial metadata' was delivered twice, or after a message")
            }
            initialMetadataHasPassed = true
        case (_, .message):
            guard initialMetadataHasPassed else {
                return .refuse("'message' was delivered before 'initial metadata'")
            }
        case (_, .writeDone): break
        }
        return .pass
    }

    /// Ends the call between the two neighbors in any state. False if it had ended.
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
