import Synchronization

/// What passes from the caller to the network. The large case is indirect, so that the others are
/// cheap to pass.
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

/// What passes from the network to the caller.
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

/// The neighbour nearer to the caller.
protocol ChainUpper: AnyObject, Sendable {
    func take(_ response: ChainResponse)
}

/// The neighbour nearer to the network.
protocol ChainLower: AnyObject, Sendable {
    func take(_ request: ChainRequest)
}

/// Where two neighbours of a chain meet: lets pass what the state of the call allows, and lets go
/// of both when the call is over between them.
final class ChainSeam: Sendable {
    private struct State {
        var progress = CallProgress()
        var upper: (any ChainUpper)?
        var lower: (any ChainLower)?

        /// The neighbours, which are let go of when nothing will pass any more.
        mutating func neighbours() -> (upper: (any ChainUpper)?, lower: (any ChainLower)?) {
            defer {
                if progress.state == .finished {
                    upper = nil
                    lower = nil
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
    /// Passes a request on. Returns why not, when it is not allowed.
    func pass(_ request: ChainRequest) -> String? {
        let (verdict, lower) = state.withLock { state in
            (state.progress.admit(request.kind), state.neighbours().lower)
        }
        switch verdict {
        case .pass: lower?.take(request)
        case .ignore: break
        case .refuse(let reason): return reason
        }
        return nil
    }

    /// Passes a response on. Returns why not, when it is not allowed.
    func pass(_ response: ChainResponse) -> String? {
        let (verdict, upper) = state.withLock { state in
            (state.progress.admit(response.kind), state.neighbours().upper)
        }
        switch verdict {
        case .pass: upper?.take(response)
        case .ignore: break
        case .refuse(let reason): return reason
        }
        return nil
    }

    /// Ends the call for the upper neighbour, whatever the state.
    func close(with error: RPCError) {
        abandon().upper?.take(.close(CallEnd(error: error)))
    }

    /// Ends the call for the lower neighbour, whatever the state.
    func cancel() { abandon().lower?.take(.cancel) }

    private func abandon() -> (upper: (any ChainUpper)?, lower: (any ChainLower)?) {
        state.withLock { state in
            guard state.progress.abandon() else { return (nil, nil) }
            return state.neighbours()
        }
    }
}
