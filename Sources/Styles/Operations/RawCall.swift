public import SwiftletCore
import Synchronization

/// A call as batches of operations on messages as bytes. All other kinds of calls can be built on
/// it.
///
/// ```swift
/// let queue = try CompletionQueue(.byHand)
/// let channel = try Channel("localhost:50051", credentials: .insecure, queue: queue)
/// let call = try channel.rawCall("/helloworld.Greeter/SayHello")
/// try call.start(
///     [
///         .sendInitialMetadata([:]), .sendMessage(request), .sendClose(),
///         .receiveMessage { reply in … }, .receiveStatus { status, trailers in … },
///     ], tag: 1)
/// while case .completed(let tag, let success) = try queue.next() { … }
/// ```
///
/// A batch ends when all its operations have ended. Then their handlers are called, and the batch
/// becomes an event of the queue. A batch fails only if something could not be sent. A receive
/// operation does not fail: if there is nothing to receive, it ends when the call ends. The call
/// keeps itself alive until its end.
public final class RawCall: Sendable {
    private typealias Make = @Sendable (Metadata, any CallObserver) -> any CallRequests

    /// Makes the call. It keeps the channel, until the call is made.
    private let make: Mutex<Make?>
    private let queue: CompletionQueue
    private let batches: OperationBatches

    init(
        on queue: CompletionQueue,
        make: @escaping @Sendable (Metadata, any CallObserver) -> any CallRequests
    ) {
        self.make = Mutex(make)
        self.queue = queue
        batches = OperationBatches(queue)
    }

    deinit { batches.callWasReleased() }
}

extension Channel {
    /// A raw call of `path`, written as `/package.Service/Method`. Its messages are bytes. Throws
    /// INVALID_ARGUMENT if the path is malformed.
    ///
    /// - Parameters:
    ///   - path: The path of the method.
    ///   - options: The options of the call.
    ///   - contentSubtype: The part of the content type after `application/grpc+`. The default is
    ///     none.
    ///   - queue: The queue of the batches' events. The default is the channel's queue.
    public func rawCall(
        _ path: String, options: CallOptions = CallOptions(), contentSubtype: String? = nil,
        on queue: CompletionQueue? = nil
    ) throws(RPCError) -> RawCall {
        guard MethodName.isLegal(path) else {
            throw .refused(
                .invalidArgument,
                "not the path of a method: '\(path)' (expected /package.Service/Method in ASCII)")
        }
        return RawCall(on: queue ?? self.queue) { metadata, observer in
            var options = options
            options.metadata.append(contentsOf: metadata)
            return self.makeCall(
                MethodSignature(path: path, shape: .bidirectional, contentSubtype: contentSubtype),
                options, observer: observer)
        }
    }
}

extension RawCall {
    /// Starts a batch whose end is an event of the queue with `tag`.
    ///
    /// Throws FAILED_PRECONDITION, and starts no operation, if one of them breaks a rule.
    public func start(
        _ operations: [Operation], tag: CompletionQueue.Tag
    ) throws(RPCError) {
        try start(operations, .tag(tag))
    }

    /// Starts a batch. `handler` is called on the queue when the batch has ended.
    public func start(
        _ operations: [Operation], handler: @escaping @Sendable (_ success: Bool) -> Void
    ) throws(RPCError) {
        try start(operations, .handler(handler))
    }

    /// Ends the call with CANCELLED and resets its stream. Running batches end.
    public func cancel() { batches.cancel() }

    private func start(
        _ operations: [Operation], _ report: OperationBatches.Report
    ) throws(RPCError) {
        let plan = try batches.begin(operations, report)
        let make = plan.metadata == nil ? nil : make.withLock { $0.take() }
        if let metadata = plan.metadata, let make { batches.adopt(make(metadata, batches)) }
        // It may have the last reference to the channel, which must not be released before the call starts.
        withExtendedLifetime(make) { batches.perform(plan) }
    }
}
