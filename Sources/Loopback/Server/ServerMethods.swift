public import SwiftletCore
import SwiftletTransport

/// What a call knows of its request, beside the messages.
public struct ServerContext: Sendable {
    let call: ServerCall
    let trailers: TrailersBox

    /// What the client sent with its request.
    public var metadata: Metadata { call.request.metadata }
    /// `/package.Service/Method`.
    public var path: String { call.request.path }
    /// The services of the server, as `package.Service`.
    public var serviceNames: [String] { call.session.methods.serviceNames }
    /// When the client gives up.
    public var deadline: Deadline { call.deadline }

    /// Whether the client has gone away or its deadline has passed. The task of the handler is
    /// cancelled then, too.
    public var isCancelled: Bool { call.isGone }

    /// Compresses the answers, when the client has said that it can read them. Comes before the
    /// first message and before ``sendInitialMetadata(_:)``, since the headers name the algorithm.
    public func compress(with algorithm: CompressionAlgorithm) {
        call.compress(with: algorithm)
    }

    /// Whether the message that was read last came compressed.
    public var lastMessageWasCompressed: Bool { call.lastMessageWasCompressed }

    /// Sends metadata ahead of the first message.
    public func sendInitialMetadata(_ metadata: Metadata) { call.sendInitialMetadata(metadata) }

    /// Sets what goes out with the status.
    public func setTrailingMetadata(_ metadata: Metadata) { trailers.set(metadata) }
}

/// The messages of a request, in order.
public struct RequestStream<Message: Sendable>: AsyncSequence, Sendable {
    public typealias Element = Message
    public typealias Failure = RPCError

    let call: ServerCall
    let codec: Codec<Message>

    public struct AsyncIterator: AsyncIteratorProtocol {
        let call: ServerCall
        let codec: Codec<Message>

        public mutating func next() async throws(RPCError) -> Message? {
            guard let octets = try await call.next() else { return nil }
            return try codec.decodeRequest(octets.span)
        }

        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws(RPCError) -> Message? {
            try await next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(call: call, codec: codec) }
}

/// Where a handler writes its answers.
public struct ReplyWriter<Message: Sendable>: Sendable {
    let call: ServerCall
    let codec: Codec<Message>

    /// Sends a message; returns when there is room for the next.
    ///
    /// - Parameters:
    ///   - message: What is sent.
    ///   - mayCompress: False sends this message as it is in a call that compresses.
    public func write(_ message: Message, mayCompress: Bool = true) async throws(RPCError) {
        try await call.send(
            codec.encodeReply(message), mayCompress: mayCompress)
    }
}

/// What a server answers, by path. A handler that throws an `RPCError` answers with its status, and
/// with its metadata behind what ``ServerContext/setTrailingMetadata(_:)`` was given; any other
/// error is UNKNOWN.
///
/// A method that is registered again gets the new handler in place of the old one: so a test may
/// add a service as it is and change one method of it.
public struct ServerMethods: Sendable {
    var plainHandlers: [String: @Sendable (ServerCall) -> Void] = [:]
    private var handlers: [String: @Sendable (ServerCall) -> Void] = [:]

    /// The most calls that one connection may have open, 100 as with other servers; nil is no
    /// limit.
    public var maxConcurrentStreams: Int? = 100

    /// The receive window of a stream, and of the connection; nil follows the measured bandwidth.
    /// A small one stops clients early.
    public var windowByteCount: Int?

    /// What goes wrong on purpose; ``LoopbackServer/setFaults(_:)`` changes it later.
    public var faults: [Fault] = [] {
        didSet { book.replace(with: faults) }
    }

    /// Shared by all connections: calls are counted across them.
    let book = FaultBook([])

    init() {}

    /// The services that have methods here, as `package.Service`, in alphabetical order.
    public var serviceNames: [String] {
        let names = handlers.keys.compactMap { path in
            path.lastIndex(of: "/").map { String(path[..<$0].dropFirst()) }
        }
        return Set(names).sorted()
    }

    /// Adds all methods of a service.
    public mutating func add(_ service: some LoopbackService) { service.register(in: &self) }

    var configuration: ConnectionConfiguration {
        var configuration = ConnectionConfiguration(.server)
        configuration.maxConcurrentStreams = maxConcurrentStreams
        if let windowByteCount { configuration.receiveWindows = .fixed(windowByteCount) }
        return configuration
    }
}

// MARK: - Registering

extension ServerMethods {
    /// One message each way.
    public mutating func unary<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle: @escaping @Sendable (Request, ServerContext) async throws -> Reply
    ) {
        register(method) { call, context in
            let request = try await call.only(method.requestCodec)
            let reply = try await handle(request, context)
            try await call.send(method.replyCodec.encodeReply(reply))
        }
    }

    /// One message from the client, any number back.
    public mutating func serverStreaming<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle:
            @escaping @Sendable (Request, ReplyWriter<Reply>, ServerContext) async throws -> Void
    ) {
        register(method) { call, context in
            let request = try await call.only(method.requestCodec)
            try await handle(request, ReplyWriter(call: call, codec: method.replyCodec), context)
        }
    }

    /// Any number of messages from the client, one back.
    public mutating func clientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle: @escaping @Sendable (RequestStream<Request>, ServerContext) async throws -> Reply
    ) {
        register(method) { call, context in
            let requests = RequestStream(call: call, codec: method.requestCodec)
            let reply = try await handle(requests, context)
            try await call.send(method.replyCodec.encodeReply(reply))
        }
    }

    /// Any number of messages both ways.
    public mutating func bidirectional<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle:
            @escaping @Sendable (RequestStream<Request>, ReplyWriter<Reply>, ServerContext)
            async throws -> Void
    ) {
        register(method) { call, context in
            try await handle(
                RequestStream(call: call, codec: method.requestCodec),
                ReplyWriter(call: call, codec: method.replyCodec), context)
        }
    }

    private mutating func register<Request, Reply>(
        _ method: Method<Request, Reply>,
        _ handle: @escaping @Sendable (ServerCall, ServerContext) async throws -> Void
    ) {
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
        guard let fault = book.next(for: call.request.path) else { return answer(call) }
        serve(call, fault)
    }

    /// Answers a call as it ought to be.
    func answer(_ call: ServerCall) {
        if !call.request.isGRPC, let handler = plainHandlers[call.request.path] {
            return handler(call)
        }
        guard call.request.isGRPC else {
            // PROTOCOL-HTTP2, "Requests": what is not gRPC is answered in HTTP's own words.
            return call.finish(
                HTTPReply(
                    status: 415, contentType: "text/plain",
                    body: Array("the request is not gRPC".utf8)))
        }
        guard CompressionAlgorithm.supported.contains(call.request.encoding) else {
            return call.finish(
                Status(
                    .unimplemented, "messages in '\(call.request.encoding.name)' cannot be read"),
                Metadata(), accepting: CompressionAlgorithm.accepted)
        }
        guard let handler = handlers[call.request.path] else {
            return call.finish(
                Status(.unimplemented, "there is no method \(call.request.path)"), Metadata())
        }
        handler(call)
    }
}

extension ServerCall {
    /// What a handler amounts to that was cancelled.
    fileprivate var cancellation: Status {
        deadline.remaining == .zero
            ? Status(.deadlineExceeded, "the deadline passed at the server")
            : Status(.cancelled, "the client went away")
    }

    /// The one message of a request that has one.
    func only<Message>(_ codec: Codec<Message>) async throws(RPCError) -> Message {
        guard let octets = try await next() else {
            throw RPCError(.internal, "the request has no message")
        }
        guard try await next() == nil else {
            throw RPCError(.internal, "the request has more than one message")
        }
        return try codec.decodeRequest(octets.span)
    }
}
