import SwiftletTransport

/// The stage of a call, from its start to its end. Keeps the end until the observer has received
/// it.
struct Lifetime: ~Copyable {
    enum Stage {
        case idle
        /// The channel looks for a connection. Messages that are written are kept.
        case seeking
        case attached(any StreamCarrier, StreamHandle)
        /// An attempt has failed, and the next one is not due yet. Messages that are written are kept.
        case waiting
        case ended
    }

    private(set) var stage = Stage.idle
    private(set) var observer: (any CallObserver)?
    /// The observer's ``CallObserver/acceptsWholeResponse``.
    let acceptsWholeResponse: Bool
    private var times = CallTimes()
    /// The end until it is delivered.
    private var end: ResponseEnd?
    /// The error that the call has ended with. Nil before the end, and after one that is OK.
    private(set) var failure: RPCError?
    /// Are told of the end of the call for the balancer; none for most policies.
    private var trackers = CallTrackers()
    /// Empty for most calls.
    private var kept: KeptParts
    /// The thread that delivers to the observer.
    var deliverer = SingleDeliverer()

    init(
        _ observer: consuming any CallObserver,
        _ kept: consuming KeptParts = KeptParts()
    ) {
        self.kept = kept
        acceptsWholeResponse = observer.acceptsWholeResponse
        self.observer = observer
    }
}

// MARK: - Stages

extension Lifetime {
    var isOver: Bool {
        if case .ended = stage { true } else { false }
    }

    var isSeeking: Bool {
        if case .seeking = stage { true } else { false }
    }

    var hasStream: Bool {
        if case .attached = stage { true } else { false }
    }

    var isWaiting: Bool {
        if case .waiting = stage { true } else { false }
    }

    /// False if the call was started before.
    mutating func start(now: MonotonicInstant) -> Bool {
        guard case .idle = stage else { return false }
        stage = .seeking
        times.started = now
        return true
    }

    mutating func attach(
        _ carrier: any StreamCarrier, _ stream: StreamHandle, _ record: ConnectionRecord
    ) {
        stage = .attached(carrier, stream)
        times.attached(to: record)
    }

    /// The call needs another stream.
    mutating func seekAgain() { stage = .seeking }

    /// The attempt has failed, and another one follows. Returns the stage before.
    mutating func wait() -> Stage {
        var previous = Stage.waiting
        swap(&previous, &stage)
        times.forgetAttempt()
        return previous
    }

    /// The next attempt is due. False if the call does not wait for it.
    mutating func endWait() -> Bool {
        guard isWaiting else { return false }
        stage = .seeking
        return true
    }

    /// Ends the call. Returns the stage before.
    mutating func end(_ end: consuming ResponseEnd, at now: MonotonicInstant) -> Stage {
        var previous = Stage.ended
        swap(&previous, &stage)
        failure = end.error
        self.end = end
        if times.lastByte == nil { times.lastByte = now }
        return previous
    }

    /// Replaces an end that waits for messages to be read. False if there is none.
    mutating func replaceEnd(with error: RPCError) -> Bool {
        guard let end, !end.isImmediate else { return false }
        failure = error
        self.end = ResponseEnd(error: error, trailers: end.trailers, isImmediate: true)
        return true
    }

    /// Records that nothing of the ended call was sent, so that the server cannot have executed it.
    mutating func noteUnsent() {
        end?.error?.mayHaveBeenExecuted = false
        failure?.mayHaveBeenExecuted = false
    }
}

// MARK: - The balancer's trackers

extension Lifetime {
    /// Takes the trackers of the present choice. Returns the report to make outside of the lock: to those of
    /// an earlier choice, or to the new ones if the call has ended, because nothing is reported to them later.
    mutating func replaceTrackers(by new: inout CallTrackers) -> TrackedEnd? {
        let code: StatusCode
        if isOver {
            code = failure?.code ?? .ok
        } else {
            swap(&trackers, &new)
            if new.isEmpty { return nil }
            code = .unavailable
        }
        return TrackedEnd(trackers: new.take(), code: code, wasSent: false)
    }

    /// The trackers of the present choice, once. The end of the attempt must be reported to them.
    mutating func takeTrackers() -> CallTrackers { trackers.take() }
}

// MARK: - What the call keeps

/// What a call keeps until it is committed or over: until then, it may go to another server.
struct KeptParts: Sendable {
    /// What keeps the cluster of the call in the resolver's configuration.
    var cluster: (any KeptCluster)?
    /// That of a call with a retry policy: one that the program has released stays open.
    var channel: (any AnyObject & Sendable)?

    var isEmpty: Bool { cluster == nil && channel == nil }
}

extension Lifetime {
    /// What the caller is to release outside of the lock: the call is committed or over.
    mutating func takeKept() -> KeptParts {
        var taken = KeptParts()
        swap(&taken, &kept)
        return taken
    }
}

// MARK: - Times

extension Lifetime {
    /// Whether the server has begun to answer.
    var isAnswered: Bool { times.firstByte != nil }

    /// The streams that have carried the call.
    var streamCount: Int { Int(times.streamCount) }

    mutating func noteFirstByte(at now: MonotonicInstant) {
        if times.firstByte == nil { times.firstByte = now }
    }

    /// The times so far, with the byte counts of both directions.
    func times(sent: Int, received: Int) -> CallTimes {
        var times = times
        times.sentByteCount = sent
        times.receivedByteCount = received
        return times
    }
}

// MARK: - The end's delivery

extension Lifetime {
    /// Whether the call has an end that was not delivered yet.
    var hasEnd: Bool { end != nil }

    /// Whether the end is to be delivered before unread messages; nil when there is no end to
    /// deliver.
    var endIsImmediate: Bool? { end?.isImmediate }

    /// The end and its receiver, once.
    mutating func takeEnd() -> (observer: any CallObserver, end: ResponseEnd)? {
        guard let end = end.take(), let observer = observer.take() else { return nil }
        return (observer, end)
    }
}
