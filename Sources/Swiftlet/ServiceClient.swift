/// The client side of a service, written by hand: a name, a channel, and a line a method.
///
/// ```swift
/// struct Greeter: ServiceClient {
///     static let serviceName = "helloworld.Greeter"
///     let channel: Channel
///
///     func sayHello(
///         _ request: HelloRequest, _ options: CallOptions = .init()
///     ) async throws(RPCError) -> HelloReply {
///         try await unary("SayHello", request, options)
///     }
/// }
/// ```
public protocol ServiceClient: Sendable {
    /// `package.Service`, as in the `.proto` file.
    static var serviceName: String { get }
    var channel: Channel { get }
    /// What holds for calls of this client that do not say otherwise, before what holds for those of
    /// its channel.
    var defaultOptions: CallOptions { get }
}

extension ServiceClient {
    public var defaultOptions: CallOptions { CallOptions() }

    /// These options where they say something, and the client's ``defaultOptions`` where they do not.
    ///
    /// The functions below do it by themselves. It is for calls that are made on the channel, in a
    /// face that has no function here:
    ///
    /// ```swift
    /// func sayHello(_ request: HelloRequest) throws(RPCError) -> Response<HelloReply> {
    ///     try channel.blockingUnary(method("SayHello", .unary), request, completed(.init()))
    /// }
    /// ```
    public func completed(_ options: CallOptions) -> CallOptions {
        let defaults = defaultOptions
        return defaults.saysNothing ? options : options.merged(over: defaults)
    }
}

extension ServiceClient {
    /// The method called `name`.
    public func method<Request: Message, Reply: Message>(
        _ name: String, _ shape: CallShape
    ) -> Method<Request, Reply> {
        Method("/\(Self.serviceName)/\(name)", shape)
    }

    /// One message each way.
    public func unary<Request: Message, Reply: Message>(
        _ name: String, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Reply {
        try await channel.unary(method(name, .unary), request, completed(options))
    }

    /// One message each way, with the metadata that comes with the answer.
    public func unaryResponse<Request: Message, Reply: Message>(
        _ name: String, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Response<Reply> {
        try await channel.unaryResponse(method(name, .unary), request, completed(options))
    }

    /// One message to the server, any number back.
    public func serverStreaming<Request: Message, Reply: Message>(
        _ name: String, _ request: Request, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> ResponseStream<Reply> {
        try await channel.serverStreaming(
            method(name, .serverStreaming), request, completed(options))
    }

    /// Any number of messages to the server, one back.
    public func clientStreaming<Request: Message, Reply: Message>(
        _ name: String, _ options: CallOptions = CallOptions(),
        _ produce: (RequestWriter<Request>) async throws -> Void
    ) async throws -> Reply {
        try await channel.clientStreaming(
            method(name, .clientStreaming), completed(options), produce)
    }

    /// Any number of messages both ways.
    public func bidirectional<Request: Message, Reply: Message>(
        _ name: String, _ options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Conversation<Request, Reply> {
        try await channel.bidirectional(method(name, .bidirectional), completed(options))
    }

    /// Any number of messages both ways, for as long as `body` runs. What is left of the call then
    /// is cancelled.
    public func bidirectional<Request: Message, Reply: Message, Result>(
        _ name: String, _ options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (RequestWriter<Request>, ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        try await channel.bidirectional(
            method(name, .bidirectional), completed(options), isolation: isolation, body)
    }

    /// One message to the server, and any number back, which `body` reads. What is left of the call
    /// when it returns is cancelled.
    public func serverStreaming<Request: Message, Reply: Message, Result>(
        _ name: String, _ request: Request, _ options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        try await channel.serverStreaming(
            method(name, .serverStreaming), request, completed(options), isolation: isolation,
            body)
    }

    /// A call, not started yet, whose requests come from a writer and which is the writer of its
    /// responses, which are written in `context`.
    public func call<Request: Message, Reply: Message>(
        _ name: String, _ shape: CallShape, requests: any Writer<Request>,
        _ options: CallOptions = CallOptions(), context: SerialContext = .inline
    ) -> Call<Request, Reply> {
        Call(
            channel, method(name, shape), requests: requests, completed(options), context: context)
    }
}
