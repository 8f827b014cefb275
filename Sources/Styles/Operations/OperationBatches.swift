import SwiftletCore
import SwiftletTransport
import Synchronization

/// The running batches of a call, and the events that no operation has received yet.
final class OperationBatches: CallObserver {
    /// How the end of a batch is reported.
    enum Report: Sendable {
        case tag(CompletionQueue.Tag)
        case handler(@Sendable (Bool) -> Void)
    }

    /// The actions that a new batch requests from the call.
    struct Plan: Sendable {
        var metadata: Metadata?
        var message: [UInt8]?
        var closes = false
        var receives = false

        mutating func add(_ other: Plan) {
            metadata = other.metadata ?? metadata
            message = other.message ?? message
            closes = closes || other.closes
            receives = receives || other.receives
        }
    }

    fileprivate struct Batch: Sendable {
        let number: Int
        var report: Report
        var remainingCount = 0
        var success = true
        /// The handlers of its operations, in the order in which the operations ended.
        var handlers: [@Sendable () -> Void] = []
    }

    fileprivate struct State: ~Copyable {
        var rules = OperationRules()
        var call: (any CallRequests)?
        /// In the order of their start. They are few, because each kind of operation runs once at a time.
        var batches: [Batch] = []
        var nextBatch = 0

        var write: (batch: Int, then: (@Sendable () -> Void)?)?
        var metadataReader: (batch: Int, handler: @Sendable (Metadata) -> Void)?
        var messageReader: (batch: Int, handler: @Sendable ([UInt8]?) -> Void)?
        var statusReader: (batch: Int, handler: @Sendable (Status, Metadata) -> Void)?

        var initialMetadata: Metadata?
        /// Messages that an interceptor delivered before an operation asked for them.
        var unread = Backlog<[UInt8]>()
        var end: CallEnd?
        /// Whether the program has released the call, so that no batch can be started.
        var isAbandoned = false
        /// Requests that were made before the call was created.
        var early = Plan()
    }

    private let queue: CompletionQueue
    private let state = Mutex(State())

    init(_ queue: CompletionQueue) { self.queue = queue }
}

// MARK: - A batch begins

extension OperationBatches {
    func begin(_ operations: [Operation], _ report: Report) throws(RPCError) -> Plan {
        let result: Result<Plan, RPCError> = state.withLock { state in
            Result { () throws(RPCError) in
                try state.rules.admit(operations)
                guard queue.batchBegins() else {
                    throw .refused(.failedPrecondition, "the completion queue was shut down")
                }
                return state.take(operations, report)
            }
        }
        // If batches have ended, `perform(_:)` reports them later: their handlers may need the
        // call, which does not exist yet.
        return try result.get()
    }

    func adopt(_ call: any CallRequests) {
        // The program cancelled or released the RawCall before `call` was made.
        let isOver = state.withLock { state in
            guard state.end == nil else { return true }
            state.call = call
            return false
        }
        if isOver { call.cancel() }
    }

    func perform(_ plan: Plan) {
        let (call, plan): ((any CallRequests)?, Plan) = state.withLock { state in
            var all = state.early
            all.add(plan)
            state.early = state.call == nil ? all : Plan()
            return (state.call, all)
        }
        guard let call else { return reportEnded() }
        if let message = plan.message {
            call.write(EncodedMessage(prefixing: message), andFinish: plan.closes)
        } else if plan.closes {
            call.finish()
        }
        if plan.receives { call.receiveNext() }
        if plan.metadata != nil { call.start() }
        reportEnded()
    }

    /// Called when the program has released the call. If the call was never started, the waiting
    /// batches end. If no operation waits for a message, asks for the next one, so that undelivered
    /// messages do not delay the end of the call.
    func callWasReleased() {
        let call: (any CallRequests)? = state.withLock { state in
            state.isAbandoned = true
            if state.call == nil, state.end == nil {
                state.end = CallEnd(error: RPCError(.cancelled, "the call was never started"))
            }
            return state.isUnwanted ? state.call : nil
        }
        call?.receiveNext()
        reportEnded()
    }

    func cancel() {
        let call: (any CallRequests)? = state.withLock { state in
            if state.call == nil, state.end == nil {
                state.end = CallEnd(error: RPCError(.cancelled, "the call was cancelled"))
            }
            return state.call
        }
        call?.cancel()
        reportEnded()
    }
}

extension OperationBatches.State {
    /// Whether no operation will ask for a message.
    fileprivate var isUnwanted: Bool { isAbandoned && messageReader == nil }

    fileprivate mutating func take(
        _ operations: [Operation], _ report: OperationBatches.Report
    ) -> OperationBatches.Plan {
        let number = nextBatch
        nextBatch += 1
        var plan = OperationBatches.Plan()
        var batch = OperationBatches.Batch(number: number, report: report)
        for operation in operations {
            switch operation {
            case .sendInitialMetadata(let metadata, let then):
                plan.metadata = metadata
                batch.ended(success: end == nil, then)
            case .sendMessage(let message, let then):
                plan.message = message
                batch.remainingCount += 1
                write = (number, then)
            case .sendClose(let then):
                plan.closes = true
                batch.ended(success: end == nil, then)
            case .receiveInitialMetadata(let handler):
                batch.remainingCount += 1
                metadataReader = (number, handler)
            case .receiveMessage(let handler):
                plan.receives = true
                batch.remainingCount += 1
                messageReader = (number, handler)
            case .receiveStatus(let handler):
                batch.remainingCount += 1
                statusReader = (number, handler)
            }
        }
        batches.append(batch)
        return plan
    }
}

extension OperationBatches.Batch {
    fileprivate mutating func ended(success: Bool, _ handler: (@Sendable () -> Void)?) {
        if !success { self.success = false }
        if let handler { handlers.append(handler) }
    }
}

// MARK: - A batch ends

extension OperationBatches {
    /// Reports the batches whose operations have all ended.
    private func reportEnded() {
        let (ended, unwanting) = state.withLock { state in
            let wasWanted = !state.isUnwanted
            let ended = state.takeEnded()
            return (ended, wasWanted && state.isUnwanted ? state.call : nil)
        }
        unwanting?.receiveNext()
        for batch in ended {
            queue.loop.run { [queue] in
                for handler in batch.handlers { handler() }
                switch batch.report {
                case .tag(let tag): queue.batchEnded(tag: tag, success: batch.success)
                case .handler(let handler):
                    handler(batch.success)
                    queue.batchEnded()
                }
            }
        }
    }
}

extension OperationBatches.State {
    fileprivate mutating func takeEnded() -> [OperationBatches.Batch] {
        if initialMetadata != nil || end != nil, let reader = metadataReader.take() {
            let metadata = initialMetadata ?? Metadata()
            endOperation(of: reader.batch) { reader.handler(metadata) }
        }
        if !unread.isEmpty, let reader = messageReader.take(), let message = unread.popFirst() {
            rules.end(.receiveMessage)
            endOperation(of: reader.batch) { reader.handler(message) }
        }
        if let end {
            if let write = write.take() {
                endOperation(of: write.batch, success: false, write.then)
            }
            if let reader = messageReader.take() {
                endOperation(of: reader.batch) { reader.handler(nil) }
            }
            if let reader = statusReader.take() {
                let status = end.error?.status ?? .ok
                endOperation(of: reader.batch) { reader.handler(status, end.trailers) }
            }
            rules.end(.sendMessage)
            rules.end(.receiveMessage)
        }
        let ended = batches.filter { $0.remainingCount == 0 }
        batches.removeAll { $0.remainingCount == 0 }
        return ended
    }

    /// Ends an operation of a batch.
    fileprivate mutating func endOperation(
        of batch: Int, success: Bool = true, _ handler: (@Sendable () -> Void)?
    ) {
        guard let index = batches.firstIndex(where: { $0.number == batch }) else { return }
        batches[index].remainingCount -= 1
        batches[index].ended(success: success, handler)
    }
}

// MARK: - Events of the call

extension OperationBatches {
    func receive(initialMetadata: Metadata) {
        state.withLock { $0.initialMetadata = initialMetadata }
        reportEnded()
    }

    func receive(message: [UInt8], from call: any CallRequests) {
        let (unwanting, isAwaited): ((any CallRequests)?, Bool) = state.withLock { state in
            guard state.isUnwanted else {
                state.unread.append(message)
                return (nil, true)
            }
            return (state.call, state.statusReader != nil)
        }
        guard let unwanting else { return reportEnded() }
        // If an operation waits for the status, asks for messages until the end. Otherwise cancels
        // the call.
        if isAwaited { unwanting.receiveNext() } else { unwanting.cancel() }
    }

    func messageWasWritten(wasAccepted: Bool) {
        state.withLock { state in
            guard let write = state.write.take() else { return }
            state.rules.end(.sendMessage)
            state.endOperation(of: write.batch, success: wasAccepted, write.then)
        }
        reportEnded()
    }

    func receive(end: CallEnd) {
        let call = state.withLock { state in
            state.end = end
            return state.call.take()
        }
        // Released outside the lock.
        _ = call
        reportEnded()
    }
}
