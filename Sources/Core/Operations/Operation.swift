/// One of the six things that can be done with a call. They are started in batches, by
/// ``RawCall/start(_:tag:)``, and each has a handler that is called when its batch has ended.
///
/// Foundation has a type of this name, too: where both are imported, this is `Swiftlet.Operation`.
public enum Operation: Sendable {
    /// Starts the call with these headers. Comes first, and once.
    case sendInitialMetadata(Metadata, then: (@Sendable () -> Void)? = nil)

    /// Sends a message; the batch ends when the transport has taken it.
    case sendMessage([UInt8], then: (@Sendable () -> Void)? = nil)

    /// Says that no more messages follow. Once.
    case sendClose(then: (@Sendable () -> Void)? = nil)

    /// Waits for the server's headers. Once.
    case receiveInitialMetadata(@Sendable (Metadata) -> Void)

    /// Waits for the next message; nil when there is none any more.
    case receiveMessage(@Sendable ([UInt8]?) -> Void)

    /// Waits for the end of the call: its status and the server's trailers. Once.
    case receiveStatus(@Sendable (Status, Metadata) -> Void)
}

extension Operation {
    enum Kind: String, Hashable, CaseIterable {
        case sendInitialMetadata = "send initial metadata"
        case sendMessage = "send message"
        case sendClose = "send close"
        case receiveInitialMetadata = "receive initial metadata"
        case receiveMessage = "receive message"
        case receiveStatus = "receive status"
    }

    var kind: Kind {
        switch self {
        case .sendInitialMetadata: .sendInitialMetadata
        case .sendMessage: .sendMessage
        case .sendClose: .sendClose
        case .receiveInitialMetadata: .receiveInitialMetadata
        case .receiveMessage: .receiveMessage
        case .receiveStatus: .receiveStatus
        }
    }
}

/// Which operations a call may still take.
struct OperationRules {
    private var isStarted = false
    private var isClosed = false
    private var receivesInitialMetadata = false
    private var receivesStatus = false
    /// Operations of which one at a time may be under way.
    private var pending: Set<Operation.Kind> = []
}

extension OperationRules {
    /// Takes a batch note, or says which operation is out of place and why. A batch that is
    /// refused leaves everything as it was.
    mutating func admit(_ batch: [Operation]) throws(RPCError) {
        var rules = self
        // The order within a batch does not count: the metadata starts what else is in it.
        let kinds = batch.map(\.kind)
        if kinds.contains(.sendInitialMetadata) { try rules.admit(.sendInitialMetadata) }
        var hasMetadata = false
        for kind in kinds where kind != .sendClose {
            guard kind == .sendInitialMetadata else {
                try rules.admit(kind)
                continue
            }
            if hasMetadata { throw Self.refusal(kind, "is twice in the batch") }
            hasMetadata = true
        }
        for kind in kinds where kind == .sendClose { try rules.admit(kind) }
        self = rules
    }

    mutating func completed(_ kind: Operation.Kind) { pending.remove(kind) }

    private mutating func admit(_ kind: Operation.Kind) throws(RPCError) {
        switch kind {
        case .sendInitialMetadata:
            guard !isStarted else { throw Self.refusal(kind, "was started before") }
            isStarted = true
        case .sendMessage:
            guard isStarted else {
                throw Self.refusal(kind, "comes before 'send initial metadata'")
            }
            guard !isClosed else { throw Self.refusal(kind, "comes after 'send close'") }
            try admitOneAtATime(kind)
        case .sendClose:
            guard isStarted else {
                throw Self.refusal(kind, "comes before 'send initial metadata'")
            }
            guard !isClosed else { throw Self.refusal(kind, "was started before") }
            isClosed = true
        case .receiveInitialMetadata:
            guard !receivesInitialMetadata else { throw Self.refusal(kind, "was started before") }
            receivesInitialMetadata = true
        case .receiveStatus:
            guard !receivesStatus else { throw Self.refusal(kind, "was started before") }
            receivesStatus = true
        case .receiveMessage:
            try admitOneAtATime(kind)
        }
    }

    private mutating func admitOneAtATime(_ kind: Operation.Kind) throws(RPCError) {
        guard pending.insert(kind).inserted else {
            throw Self.refusal(kind, "is still under way")
        }
    }

    private static func refusal(_ kind: Operation.Kind, _ reason: String) -> RPCError {
        .refused(.failedPrecondition, "operation '\(kind.rawValue)' \(reason)")
    }
}
