import Synchronization

/// A request on its way from the caller to the network. The large case is indirect, so that the
/// others are small.
enum ChainRequest: Sendable {
    indirect case start(CallOptions)
    case write(RawMessage)
    case finish, receiveNext, cancel

    var kind: CallProgress.Request {
        switch self {
        case .start: .start
        case .write: .write
        case .finish: .finish
        case .receiveNext: .receiveNext
        case .cancel: .cancel
        }
    }
}

/// A response on its way from the network to the caller.
enum ChainResponse: Sendable {
    case initialMetadata(Metadata)
    case message(RawMessage)
    case writeDone
    indirect case close(CallEnd)

    var kind: CallProgress.Response {
        switch self {
        case .initialMetadata: .initialMetadata
        case .message: .message
        case .writeDone: .writeDone
        case .close: .close
        }
    }
}

/// The neighbour on the side of the caller.
protocol ChainUpper: AnyObject, Sendable {
    func receive(_ response: ChainResponse)
}

/// The neighbour on the side of the network.
protocol ChainLower: AnyObject, Sendable {
    func send(_ request: ChainRequest)
}

/// Connects two neighbours of a chain. Passes the events that the state of the call allows, and
/// releases both neighbours after the end of the call.
final class ChainSeam: Sendable {
    private struct State {
        var progress = CallProgress()
        var upper: (any ChainUpper)?
        var lower: (any ChainLower)?
        /// Messages that were written before the start.
        var early: [RawMessage] = []

        /// The neighbours. They are released when no more events can pass.
        mutating func neighbours() -> (upper: (any ChainUpper)?, lower: (any ChainLower)?) {
            defer {
                if progress.state == .finished {
                    upper = nil
                    lower = nil
                    early = []
                }
            }
            return (upper, lower)
        }
    }

    private let state: Mutex<State>

    init(_ upper: any ChainUpper, _ lower: any ChainLower) {
        state = Mutex(State(upper: upper, lower: lower))
    }
}

extension ChainSeam {
    /// Sends a request to the lower neighbour. Returns nil, or the rule that the request breaks.
    func pass(_ request: ChainRequest) -> String? {
        let (verdict, lower, early) = state.withLock { state in
            let verdict = state.progress.admit(request.kind)
            if verdict == .keep, case .write(let message) = request { state.early.append(message) }
            var early: [RawMessage] = []
            if case .start = request { swap(&early, &state.early) }
            return (verdict, state.neighbours().lower, early)
        }
        switch verdict {
        case .pass: lower?.send(request)
        case .ignore, .keep: break
        case .refuse(let reason): return reason
        }
        for message in early { lower?.send(.write(message)) }
        return nil
    }

    /// Passes a response on. Returns why it is not allowed, if it is not.
    func pass(_ response: ChainResponse) -> String? {
        let (verdict, upper) = state.withLock { state in
            (state.progress.admit(response.kind), state.neighbours().upper)
        }
        switch verdict {
        case .pass: upper?.receive(response)
        case .ignore, .keep: break
        case .refuse(let reason): return reason
        }
        return nil
    }

    /// Ends the call for the upper neighbour in any state.
    func close(with error: RPCError) {
        abandon().upper?.receive(.close(CallEnd(error: error)))
    }

    /// Ends the call for the lower neighbour in any state.
    func cancel() { abandon().lower?.send(.cancel) }

    private func abandon() -> (upper: (any ChainUpper)?, lower: (any ChainLower)?) {
        state.withLock { state in
            guard state.progress.abandon() else { return (nil, nil) }
            return state.neighbours()
        }
    }
}
