import SwiftletTransport

extension DeferredCall {
    struct State: ~Copyable {
        private enum Stage {
            case idle
            case waiting
            /// The call is being made. An error that ends it is kept until then.
            case making(failure: RPCError?)
            /// The call is made, and receives the requests that were kept. Others wait behind them.
            case catchingUp(any CallRequests)
            /// Requests are passed on as they come.
            case made(any CallRequests)
            case over
        }

        /// What the call waits for.
        enum Reason {
            case credentials, config, step

            var text: String {
                switch self {
                case .credentials: "before the call credentials gave their metadata"
                case .config: "before the resolver's first result"
                case .step: "during a step before the call"
                }
            }
        }

        private var stage = Stage.idle
        private(set) var reason = Reason.config
        /// Nil once the call is made or over.
        private var observer: (any CallObserver)?
        /// Nil once the call is made or over.
        private var make: Make?
        var options: CallOptions
        /// Nil until it is known, and once the call is made or over.
        private var selection: CallSelection?
        /// The only request of a call that has one.
        var only: EncodedMessage?
        /// The requests that were not passed on, in their order.
        private var requests: [CallRequest] = []
        /// Tells the credentials, or the selector's step, that the call has ended.
        private var whenEnded: (@Sendable () -> Void)?

        init(
            _ observer: any CallObserver, _ options: CallOptions,
            _ selection: consuming CallSelection?, _ make: @escaping Make
        ) {
            self.observer = observer
            self.options = options
            self.selection = selection
            self.make = make
        }
    }

    /// What is to be done outside of the lock to end a call.
    enum Ending: ~Copyable {
        /// Nothing: the call has ended, or is ended as soon as it is made.
        case none
        /// To tell the observer.
        case here(Parts)
        /// To end the call that was made.
        case below(any CallRequests)
    }

    /// What a call was made of. Used and released outside of the lock.
    struct Parts: ~Copyable {
        let observer: any CallObserver
        let options: CallOptions
        let selection: CallSelection
        let only: EncodedMessage?
        let make: Make
        let whenEnded: (@Sendable () -> Void)?
    }
}

extension DeferredCall.State {
    var isWaiting: Bool {
        if case .waiting = stage { true } else { false }
    }

    var isOver: Bool {
        if case .over = stage { true } else { false }
    }

    var below: (any CallRequests)? {
        switch stage {
        case .catchingUp(let below), .made(let below): below
        case .idle, .waiting, .making, .over: nil
        }
    }

    /// The deadline of a call that begins to wait; nil if it was started or ended before.
    mutating func start() -> Deadline? {
        guard case .idle = stage else { return nil }
        stage = .waiting
        return options.absoluteDeadline
    }

    /// The call begins to wait for its credentials, if it has some.
    mutating func takeCredentials() -> (any CallCredentials)? {
        guard let credentials = options.takeCredentials() else { return nil }
        reason = .credentials
        return credentials
    }

    /// The call needs no metadata of credentials, or has it. Returns what is set for the call, if it is known.
    mutating func beginChoice() -> CallSelection? {
        reason = .config
        whenEnded = nil
        return selection.take()
    }

    /// What is set for the call is known.
    mutating func beginStep(_ selection: consuming CallSelection?) {
        reason = .step
        self.selection = selection
    }

    /// Nil if the call does not wait any more.
    mutating func beginMaking() -> DeferredCall.Parts? {
        guard isWaiting else { return nil }
        stage = .making(failure: nil)
        return takeParts()
    }

    /// The call is made. Returns an error that has ended it in the meantime.
    mutating func made(_ below: any CallRequests) -> RPCError? {
        guard case .making(let failure) = stage else { return nil }
        stage = failure == nil ? .catchingUp(below) : .made(below)
        // Nothing takes them any more.
        if failure != nil { requests = [] }
        return failure
    }

    /// Ends the call, unless it was made.
    mutating func end(_ error: RPCError) -> DeferredCall.Ending {
        switch stage {
        case .idle, .waiting:
            stage = .over
            requests = []
            guard let parts = takeParts() else { return .none }
            return .here(parts)
        case .making(let failure):
            stage = .making(failure: failure ?? error)
            return .none
        case .catchingUp(let below), .made(let below): return .below(below)
        case .over: return .none
        }
    }

    private mutating func takeParts() -> DeferredCall.Parts? {
        guard let observer = observer.take(), let make = make.take() else { return nil }
        var taken = CallOptions()
        // A call that the program keeps must not keep what its options refer to.
        swap(&taken, &options)
        return DeferredCall.Parts(
            observer: observer, options: taken, selection: selection.take() ?? CallSelection(nil),
            only: only.take(), make: make, whenEnded: whenEnded.take())
    }

    /// Keeps what is called if the call ends while it waits for that reason. True if the call has ended already.
    mutating func keep(for reason: Reason, _ body: @escaping @Sendable () -> Void) -> Bool {
        if isWaiting, self.reason == reason { whenEnded = body }
        return isOver
    }
}

// MARK: - Requests

extension DeferredCall.State {
    /// Keeps a request. If requests are passed on, returns the call that it must be made of instead.
    mutating func keep(_ request: CallRequest) -> (any CallRequests)? {
        switch stage {
        case .over: return nil
        case .made(let below): return below
        case .idle, .waiting, .making, .catchingUp:
            requests.append(request)
            return nil
        }
    }

    mutating func takeRequests() -> [CallRequest] {
        defer { requests = [] }
        return requests
    }

    /// The requests that were made since the last ones were taken. Nil if there are none: from then on, they are
    /// passed on as they come.
    mutating func nextRequests() -> [CallRequest]? {
        guard case .catchingUp(let below) = stage else { return nil }
        guard requests.isEmpty else { return takeRequests() }
        stage = .made(below)
        return nil
    }
}
