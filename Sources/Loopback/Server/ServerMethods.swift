public import SwiftletCore
import SwiftletTransport

/// The data of a call that is not in its messages.
public struct ServerContext: Sendable {
    let call: ServerCall
    let trailers: TrailersBox

    /// The metadata of the request.
    public var metadata: Metadata { call.request.metadata }
    /// `/package.Service/Method`.
    public var path: String { call.request.path }
    /// The services of the server, as `package.Service`.
    public var serviceNames: [String] { call.session.methods.serviceNames }
    /// The deadline that the client sent; `.never` without one.
    public var deadline: Deadline { call.deadline }

    /// Whether the client cancelled the call, the connection was lost, or the deadline passed. The task
    /// of the handler is cancelled at the same time.
    public var isCancelled: Bool { call.isGone }

    /// Compresses the messages of the answer, if the client accepts the algorithm. Has no effect after
    /// the first message or ``sendInitialMetadata(_:)``, because the headers name the algorithm.
    public func compress(with algorithm: CompressionAlgorithm) {
        call.compress(with: algorithm)
    }

    /// Whether the last message that was read was compressed.
    public var lastMessageWasCompressed: Bool { call.lastMessageWasCompressed }

    /// Sends metadata before the first message. Later calls have no effect.
    public func sendInitialMetadata(_ metadata: Metadata) { call.sendInitialMetadata(metadata) }

    /// Suspends the handler. Throws when the call is cancelled. Unlike `Task.sleep`, it also
    /// returns while tests block every thread of Swift's cooperative thread pool.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        try await call.session.loop.sleep(for: duration)
    }

    /// Sets the metadata that is sent with the status.
    public func setTrailingMetadata(_ metadata: Metadata) { trailers.set(metadata) }

    /// Sets the trailer `grpc-retry-pushback-ms`: if the call fails, a client with a retry policy
    /// sends it again exactly after `delay`, or never if `delay` is nil (proposal A6, "Pushback").
    /// Replaces the trailing metadata that was set before.
    public func setRetryPushback(_ delay: Duration?) {
        let milliseconds = delay.map { max(0, min($0 / .milliseconds(1), 2_147_483_647)) }
        var metadata = Metadata()
        metadata.append(
            received: .text(milliseconds.map { "\(Int64($0))" } ?? "-1"),
            for: RetryPushback.name)
        trailers.set(metadata)
    }
}

/// The messages of a request, in the order in which the client sent them.
public struct RequestStream<Message: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Message
    public typealias Failure = RPCError

    let call: ServerCall
    let codec: Codec<Message>

    public struct AsyncIterator: AsyncIteratorProtocol {
        let call: ServerCall
        let codec: Codec<Message>

        public mutating func next() async throws(RPCError) -> Message? {
            guard let bytes = try await call.next() else { return nil }
            return try codec.decodeRequest(bytes.contiguous.span)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RPCError) -> Message? {
            try await next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(call: call, codec: codec) }
}

/// Writes the messages of an answer.
public struct ReplyWriter<Message: Sendable>: Sendable {
    let call: ServerCall
    let codec: Codec<Message>

    /// Sends a message. Suspends until the client has room for the next message. Throws CANCELLED when the
    /// client has cancelled the call.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - allowsCompression: False sends this message without compression; true by default.
    public func write(_ message: Message, allowsCompression: Bool = true) async throws(RPCError) {
        try await call.send(
            codec.encodeReply(message), allowsCompression: allowsCompression)
    }

    /// Sends the values of a sequence, each when there is room for it.
    public func write(contentsOf messages: some Sequence<Message>) async throws(RPCError) {
        for message in messages { try await write(message) }
    }

    /// Sends the values of an asynchronous sequence, each when there is room for it. Also throws the errors of the
    /// sequence.
    public func write<Messages: AsyncSequence>(contentsOf messages: Messages) async throws
    where Messages.Element == Message {
        for try await message in messages { try await write(message) }
    }
}

/// The methods of a server, by path. If a handler throws an `RPCError`, the call ends with the status of the
/// error. The trailers contain the metadata of ``ServerContext/setTrailingMetadata(_:)``, and then the
/// metadata of the error. If it throws a `CancellationError`, the call ends with CANCELLED, or with
/// DEADLINE_EXCEEDED when the deadline has passed. For any other error, the status is UNKNOWN.
///
/// Registering a method again replaces its handler: a test may add a service and replace one method.
public struct ServerMethods: Sendable {
    var plainHandlers: [String: PlainHandler] = [:]
    private var handlers: [String: @Sendable (ServerCall) -> Void] = [:]
    /// Handles the calls whose path has no handler. If nil, these calls are UNIMPLEMENTED.
    private var otherHandler: (@Sendable (ServerCall) -> Void)?

    /// The most calls that one connection may have open; 100 by default, nil for no limit.
    public var maxConcurrentStreams: Int? = 100

    /// The largest message of a request, in bytes; 4 MiB by default, as in gRPC's servers. A call with a larger
    /// one fails with RESOURCE_EXHAUSTED. The limit also applies to the body of a request that is not gRPC.
    public var maxRequestByteCount = 4 << 20

    /// The versions of HTTP that the server uses when it has a handler of plain requests. By default, the
    /// client chooses. A server without such a handler uses only HTTP/2.
    public var httpVersion = HTTPVersion.negotiated

    /// Whether a gRPC request that breaks PROTOCOL-HTTP2 fails with INTERNAL and a message that names the
    /// rule; true by default. Other servers answer some of these requests, fail others, and never answer the
    /// rest, such as a request with END_STREAM on its HEADERS.
    public var isStrict = true

    /// The shortest time between two PINGs of a client while the server sends nothing; 5 minutes by default, as
    /// in gRPC's servers. While a connection has no call, it is two hours. The third PING that comes sooner
    /// ends the connection with ENHANCE_YOUR_CALM and the text `too_many_pings`. Nil means no limit.
    public var minPingInterval: Duration? = .seconds(300)

    /// The receive window of each stream, in bytes. The window of the connection is at least twice as large.
    /// Nil, the default, follows the measured bandwidth. With a small window, clients stop early.
    public var windowByteCount: Int?

    /// The faults of the server; none by default. ``LoopbackServer/setFaults(_:)`` changes them
    /// later.
    public var faults: [Fault] = [] {
        didSet { book.replace(with: faults) }
    }

    /// All connections share it, so that calls are counted across them.
    let book = FaultBook()

    /// The methods that were registered with a wrong shape, each as a sentence. If there are any, a server
    /// does not start.
    private(set) var mistakes: [String] = []

    init() {}

    /// The services that have methods here, as `package.Service`, in alphabetical order.
    public var serviceNames: [String] {
        let names = handlers.keys.compactMap { path in
            path.lastIndex(of: "/").map { String(path[..<$0].dropFirst()) }
        }
        return Set(names).inOrder()
    }

    /// The faults that can apply to no call, because their path has no handler, or none of gRPC, each as a
    /// sentence.
    func mistakes(in faults: [Fault]) -> [String] {
        faults.compactMap { fault in
            guard let path = fault.path, handlers[path] == nil else { return nil }
            guard plainHandlers[path] != nil else {
                return "the fault '\(fault)' names a path that no method of the server has"
            }
            guard fault.kind.isOfGRPC else { return nil }
            return "the fault '\(fault)' is for gRPC, and its path has only a handler of plain HTTP"
        }
    }

    /// Adds all methods of a service.
    public mutating func add(_ service: some LoopbackService) { service.register(in: &self) }

    var configuration: ConnectionConfiguration {
        var configuration = ConnectionConfiguration(.server)
        configuration.maxConcurrentStreams = maxConcurrentStreams
        configuration.minPingInterval = minPingInterval
        if let windowByteCount { configuration.receiveWindows = .fixed(windowByteCount) }
        return configuration
    }
}

// MARK: - Registering

extension ServerMethods {
    /// Registers a method with one request message and one response message.
    public mutating func unary<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle: @escaping @Sendable (Request, ServerContext) async throws -> Reply
    ) {
        registerSingle(method.signature, as: .unary) { bytes, context in
            let request = try method.requestCodec.decodeRequest(bytes.contiguous.span)
            return try method.replyCodec.encodeReply(await handle(request, context))
        }
    }

    /// Registers a method with one request message and any number of response messages.
    public mutating func serverStreaming<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle:
            @escaping @Sendable (Request, ReplyWriter<Reply>, ServerContext) async throws -> Void
    ) {
        registerStreaming(method.signature, as: .serverStreaming) { bytes, context in
            let request = try method.requestCodec.decodeRequest(bytes.contiguous.span)
            let replies = ReplyWriter(call: context.call, codec: method.replyCodec)
            try await handle(request, replies, context)
        }
    }

    /// Registers a method with any number of request messages and one response message.
    public mutating func clientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle: @escaping @Sendable (RequestStream<Request>, ServerContext) async throws -> Reply
    ) {
        register(method.signature, as: .clientStreaming) { call, context in
            let requests = RequestStream(call: call, codec: method.requestCodec)
            let reply = try await handle(requests, context)
            try await call.send(method.replyCodec.encodeReply(reply))
        }
    }

    /// Registers a method with any number of request and response messages.
    public mutating func bidirectional<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle:
            @escaping @Sendable (RequestStream<Request>, ReplyWriter<Reply>, ServerContext)
            async throws -> Void
    ) {
        register(method.signature, as: .bidirectional) { call, context in
            try await handle(
                RequestStream(call: call, codec: method.requestCodec),
                ReplyWriter(call: call, codec: method.replyCodec), context)
        }
    }

    /// Registers a handler for calls whose path has no handler. It receives and sends bytes.
    package mutating func others(
        _ handle:
            @escaping @Sendable (RequestStream<[UInt8]>, ReplyWriter<[UInt8]>, ServerContext)
            async throws -> Void
    ) {
        let any = Method<[UInt8], [UInt8]>(
            trusted: "/any.Service/Method", .bidirectional, request: .bytes, reply: .bytes)
        var methods = ServerMethods()
        methods.bidirectional(any, handle)
        otherHandler = methods.handlers[any.path]
    }

    /// For one request message and one response message, as bytes. Not generic, like the next functions, so that
    /// a method adds little code.
    private mutating func registerSingle(
        _ method: MethodSignature, as shape: CallShape,
        _ handle: @escaping @Sendable ([UInt8], ServerContext) async throws -> EncodedMessage
    ) {
        register(method, as: shape) { call, context in
            try await call.send(handle(call.only(), context))
        }
    }

    private mutating func registerStreaming(
        _ method: MethodSignature, as shape: CallShape,
        _ handle: @escaping @Sendable ([UInt8], ServerContext) async throws -> Void
    ) {
        register(method, as: shape) { call, context in try await handle(call.only(), context) }
    }

    private mutating func register(
        _ method: MethodSignature, as shape: CallShape,
        _ handle: @escaping @Sendable (ServerCall, ServerContext) async throws -> Void
    ) {
        if method.shape != shape {
            mistakes.append(
                "\(method.path) is declared as \(method.shape) and registered as \(shape)")
        }
        handlers[method.path] = { call in
            call.run { call in
                let context = ServerContext(call: call, trailers: TrailersBox())
                var status = Status.ok
                var errorMetadata = Metadata()
                do {
                    try await handle(call, context)
                } catch let error as RPCError {
                    status = error.status
                    errorMetadata = error.metadata
                } catch is CancellationError {
                    status = call.cancellation
                } catch {
                    status = Status(.unknown, "\(error)")
                }
                var trailers = context.trailers.metadata
                trailers.append(contentsOf: errorMetadata)
                call.finish(status, trailers)
            }
        }
    }
}

// MARK: - Serving

extension ServerMethods {
    func serve(_ call: ServerCall) {
        if let rule = call.request.violation {
            return call.finish(RPCError.violation(rule).status, Metadata())
        }
        guard let fault = nextFault(for: call.request) else { return answer(call) }
        serve(call, fault)
    }

    /// Counts a call. Returns the fault that applies to it.
    func nextFault(for request: RequestInfo) -> Fault.Kind? {
        book.next(for: withoutQuery(request.path), isGRPC: request.isGRPC)
    }

    /// Answers a call to which no fault applies.
    func answer(_ call: ServerCall) {
        if !call.request.isGRPC, let handler = plainHandler(for: call.request.path) {
            return call.answer(by: handler)
        }
        guard call.request.isGRPC else {
            return call.refuseAsNotGRPC()
        }
        guard CompressionAlgorithm.supported.contains(call.request.encoding) else {
            return call.finish(
                Status(
                    .unimplemented,
                    "the server does not support the encoding '\(call.request.encoding.name)'"),
                Metadata(), accepting: CompressionAlgorithm.accepted)
        }
        guard let handler = handlers[call.request.path] ?? otherHandler else {
            return call.finish(
                Status(.unimplemented, "the server has no method \(call.request.path)"), Metadata())
        }
        handler(call)
    }
}

extension ServerCall {
    /// The status of a call whose handler was cancelled.
    fileprivate var cancellation: Status {
        deadline.remaining == .zero
            ? Status(.deadlineExceeded, "the deadline passed at the server")
            : Status(.cancelled, "the client cancelled the call")
    }

    /// Reads the only message of a request; throws UNIMPLEMENTED when it has none, or
    /// several (gRPC's statuscodes.md).
    func only() async throws(RPCError) -> [UInt8] {
        guard let bytes = try await next() else {
            throw RPCError(.unimplemented, "the request has no message")
        }
        guard try await next() == nil else {
            throw RPCError(.unimplemented, "the request has more than one message")
        }
        return bytes
    }
}
