package import SwiftletCore

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
package enum ChainResponse: Sendable {
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

/// The neighbor on the side of the caller.
///
/// ``ChainResponse/close(_:)`` and ``ChainRequest/start(_:)`` are indirect and cost an allocation.
/// Therefore ``receive(end:)`` passes the end of a call, and ``ChainLower/send(start:)`` its start.
enum ChainUpper: Sendable {
    case face(InterceptorChain)
    case interceptor(InterceptedCall)
}

// Not inlined: each is called in many places, and inlined they would be several kilobytes in each.

extension ChainUpper {
    @inline(never)
    func receive(_ response: ChainResponse) {
        switch self {
        case .face(let chain): chain.respond(response)
        case .interceptor(let call): call.receive(response)
        }
    }

    @inline(never)
    func receive(end: CallEnd) {
        switch self {
        case .face(let chain): chain.respond(end: end)
        case .interceptor(let call): call.receive(end: end)
        }
    }
}

/// The neighbor on the side of the network. It keeps the seam to the neighbor above it. If the seam
/// does not allow a request, the functions return the reason; otherwise nil.
enum ChainLower: Sendable {
    case interceptor(InterceptedCall)
    case terminal(ChainTerminal)
}

extension ChainLower {
    @inline(never)
    func send(start options: CallOptions) -> String? {
        switch self {
        case .interceptor(let call): call.send(start: options)
        case .terminal(let terminal): terminal.send(start: options)
        }
    }

    @inline(never)
    func send(_ request: ChainRequest) -> String? {
        switch self {
        case .interceptor(let call): call.send(request)
        case .terminal(let terminal): terminal.send(request)
        }
    }

    /// Allowed in every state.
    func cancel() { _ = send(.cancel) }

    /// Whether this part was started, or has ended.
    var isStarted: Bool {
        switch self {
        case .interceptor(let call): call.isStarted
        case .terminal(let terminal): terminal.isStarted
        }
    }
}

/// The connection of two neighbors of a chain: the events that may pass, and the upper neighbor.
///
/// The seam is a part of the state of the lower neighbor, whose lock guards it. It releases the
/// upper neighbor at the end of the call between the two.
struct ChainSeam {
    private var progress = CallProgress()
    private var upper: ChainUpper?
    /// Messages that were written before the start.
    private var early: [RawMessage] = []

    init(under upper: ChainUpper?) { self.upper = upper }

    /// Whether the call between the two was started, or has ended.
    var isStarted: Bool { progress.state != .initialised }

    /// Whether the call between the two has ended.
    var isFinished: Bool { progress.state == .finished }
}

extension ChainSeam {
    /// Applies a request, if it is allowed. After ``CallProgress/Verdict/keep`` the caller keeps the
    /// message with ``keep(_:)``.
    mutating func admit(_ request: CallProgress.Request) -> CallProgress.Verdict {
        let verdict = progress.admit(request)
        // Safe under the lock: the upper neighbor is making this request, so the reference that is
        // released is not its last.
        if progress.state == .finished { release() }
        return verdict
    }

    mutating func keep(_ message: RawMessage) { early.append(message) }

    /// The messages to send after the start.
    mutating func takeEarly() -> [RawMessage] {
        guard !early.isEmpty else { return [] }
        defer { early = [] }
        return early
    }

    /// Applies a response, if it is allowed. Returns the neighbor that receives it, if it passes.
    mutating func admit(
        _ response: CallProgress.Response
    ) -> (verdict: CallProgress.Verdict, upper: ChainUpper?) {
        let verdict = progress.admit(response)
        guard case .pass = verdict else { return (verdict, nil) }
        let upper = upper
        if progress.state == .finished { release() }
        return (verdict, upper)
    }

    /// Ends the call in any state. Returns the upper neighbor, which receives the end; nil if the
    /// call had ended.
    mutating func abandon() -> ChainUpper? {
        guard progress.abandon() else { return nil }
        let upper = upper
        release()
        return upper
    }

    private mutating func release() {
        upper = nil
        early = []
    }
}
