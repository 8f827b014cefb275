import Synchronization

/// A call as batches of operations on octets: what every other face is a comfort over.
///
/// ```swift
/// let queue = try CompletionQueue(.byHand)
/// let channel = try Channel("localhost:50051", queue: queue)
/// let call = try channel.rawCall("/helloworld.Greeter/SayHello")
/// try call.start(
///     [
///         .sendInitialMetadata([:]), .sendMessage(request), .sendClose(),
///         .receiveMessage { reply in … }, .receiveStatus { status, trailers in … },
///     ], tag: 1)
/// while case .completed(let tag, let success) = queue.next() { … }
/// ```
///
/// A batch ends when each of its operations has: then their handlers are called, and the batch
/// becomes an event of the queue. It succeeds unless something could not be sent: what it waits
/// for ends with the call, be it without a message. The call keeps itself alive until it has ended.
public final class RawCall: Sendable {
    private let make: @Sendable (Metadata, any CallObserver) -> any CallRequests
    private let queue: CompletionQueue
    private let batches: OperationBatches

    init(
        on queue: CompletionQueue,
        make: @escaping @Sendable (Metadata, any CallObserver) -> any CallRequests
    ) {
        self.make = make
        self.queue = queue
        batches = OperationBatches(queue)
    }

    deinit { batches.letGo() }
}

extension Channel {
    /// A call of `path`, written as `/package.Service/Method`, that is made of raw operations. Its
    /// messages are octets.
    ///
    /// - Parameters:
    ///   - path: What is called.
    ///   - options: Metadata, deadline and the like.
    ///   - contentSubtype: What stands behind `application/grpc+`, where anything does.
    ///   - queue: Where its batches end; the channel's unless another is named.
    public func rawCall(
        _ path: String, _ options: CallOptions = CallOptions(), contentSubtype: String? = nil,
        on queue: CompletionQueue? = nil
    ) throws(RPCError) -> RawCall {
        guard MethodName(path: path) != nil else {
            throw .refused(
                .invalidArgument, "'\(path)' is not of the form /package.Service/Method")
        }
        return RawCall(on: queue ?? backend.queue) { metadata, observer in
            var options = options
            options.metadata.append(contentsOf: metadata)
            return self.makeCall(
                MethodSignature(path: path, shape: .bidirectional, contentSubtype: contentSubtype),
                options, observer: observer)
        }
    }
}

extension RawCall {
    /// Starts a batch whose end is an event of the queue, with `tag`.
    ///
    /// Throws when an operation is out of place, and starts none of them then.
    public func start(
        _ operations: [Operation], tag: CompletionQueue.Tag
    ) throws(RPCError) {
        try start(operations, .tag(tag))
    }

    /// Starts a batch at whose end `handler` is called, on the queue.
    public func start(
        _ operations: [Operation], handler: @escaping @Sendable (_ success: Bool) -> Void
    ) throws(RPCError) {
        try start(operations, .handler(handler))
    }

    /// Ends the call with CANCELLED and resets its stream. What is under way ends.
    public func cancel() { batches.cancel() }

    private func start(
        _ operations: [Operation], _ report: OperationBatches.Report
    ) throws(RPCError) {
        let plan = try batches.begin(operations, report)
        if let metadata = plan.metadata {
            batches.adopt(make(metadata, batches))
        }
        batches.carryOut(plan)
    }
}
