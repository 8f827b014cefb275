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

    private func completed(_ options: CallOptions) -> CallOptions {
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
