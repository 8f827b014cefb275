public import SwiftletCore

/// One of the six operations of a call. ``RawCall/start(_:tag:)`` starts them in batches. When a
/// batch has ended, the handlers of its operations are called.
///
/// Foundation has a type with this name too. If both modules are imported, this one is
/// `SwiftletStyles.Operation`.
@nonexhaustive
public enum Operation: Sendable {
    /// Starts the call with these headers. Must be the first operation. Once per call.
    case sendInitialMetadata(Metadata, then: (@Sendable () -> Void)? = nil)

    /// Sends a message. Ends when there is room for the next.
    case sendMessage([UInt8], then: (@Sendable () -> Void)? = nil)

    /// Ends the request: no more messages follow. Once per call.
    case sendClose(then: (@Sendable () -> Void)? = nil)

    /// Waits for the initial metadata. Once per call.
    case receiveInitialMetadata(@Sendable (Metadata) -> Void)

    /// Waits for the next message. The handler receives nil after the last one.
    case receiveMessage(@Sendable ([UInt8]?) -> Void)

    /// Waits for the end of the call: the status and the trailing metadata. Once per call.
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

/// The rules for the operations that a call accepts.
struct OperationRules {
    private var isStarted = false
    private var isClosed = false
    private var receivesInitialMetadata = false
    private var receivesStatus = false
    /// Running operations that send or receive a message. Of each kind only one may run at a time.
    private var pending: [Operation.Kind] = []
}

extension OperationRules {
    /// Adds a batch. If the batch breaks a rule, changes nothing and throws FAILED_PRECONDITION,
    /// which names the operation and the rule.
    mutating func admit(_ batch: [Operation]) throws(RPCError) {
        var rules = self
        // The order within a batch does not matter: the initial metadata starts the others.
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

    mutating func end(_ kind: Operation.Kind) { pending.removeAll { $0 == kind } }

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
        guard !pending.contains(kind) else { throw Self.refusal(kind, "is still running") }
        pending.append(kind)
    }

    private static func refusal(_ kind: Operation.Kind, _ reason: String) -> RPCError {
        .refused(.failedPrecondition, "operation '\(kind.rawValue)' \(reason)")
    }
}
