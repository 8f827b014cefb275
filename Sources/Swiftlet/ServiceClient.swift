/// The client of a service: a channel, and the service's methods as static values.
///
/// ```swift
/// struct Greeter: ServiceClient {
///     static let sayHello = Method<HelloRequest, HelloReply>("/helloworld.Greeter/SayHello", .unary)
///     let channel: Channel
///
///     func sayHello(
///         _ request: HelloRequest, options: CallOptions = .init()
///     ) async throws(RPCError) -> HelloReply {
///         try await unary(Self.sayHello, request, options: options)
///     }
/// }
/// ```
///
/// The functions of this protocol make calls with the client's ``defaultOptions``. They can also be
/// called directly: `try await greeter.unary(Greeter.sayHello, request)`.
public protocol ServiceClient: Sendable {
    var channel: Channel { get }
    /// Values for the options that a call does not set; none by default. The channel's default options are
    /// used for options that are not set here either.
    var defaultOptions: CallOptions { get }
}

extension ServiceClient {
    @inlinable
    public var defaultOptions: CallOptions { CallOptions() }

    /// `options`, completed with the client's ``defaultOptions``.
    ///
    /// Use it for a call on the channel itself, if one of the channel's functions has no counterpart here:
    ///
    /// ```swift
    /// func sayHello(_ request: HelloRequest) throws(RPCError) -> Response<HelloReply> {
    ///     try channel.blockingUnary(Self.sayHello, request, options: withDefaults(CallOptions()))
    /// }
    /// ```
    @inlinable
    public func withDefaults(_ options: CallOptions) -> CallOptions {
        let defaults = defaultOptions
        return defaults.isEmpty ? options : options.merged(over: defaults)
    }
}

// MARK: - Calls

extension ServiceClient {
    /// Sends one message and waits for the response.
    @inlinable
    public func unary<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Reply {
        try await channel.unary(method, request, options: withDefaults(options))
    }

    /// Sends one message and waits for the response. Also returns the metadata of the response.
    @inlinable
    public func unaryResponse<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Response<Reply> {
        try await channel.unaryResponse(method, request, options: withDefaults(options))
    }

    /// Sends one message. The responses arrive as the stream is read.
    public func serverStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions()
    ) async throws(RPCError) -> ResponseStream<Reply> {
        try await channel.serverStreaming(method, request, options: withDefaults(options))
    }

    /// Sends one message, and passes the responses to `body`. When `body` returns or throws, a call
    /// that has not ended is cancelled.
    public func serverStreaming<Request, Reply, Result>(
        _ method: Method<Request, Reply>, _ request: Request,
        options: CallOptions = CallOptions(), isolation: isolated (any Actor)? = #isolation,
        _ body: (ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        try await channel.serverStreaming(
            method, request, options: withDefaults(options), isolation: isolation, body)
    }

    /// Sends the messages that `produce` writes, and waits for the response. When `produce` returns, the
    /// request ends. If `produce` throws, the call is cancelled.
    ///
    /// ```swift
    /// let summary = try await guide.clientStreaming(RouteGuide.recordRoute) { route in
    ///     for point in points { try await route.write(point) }
    /// }
    /// ```
    ///
    /// Use ``ClientStreamingMethod`` to declare the method as a property that is called like a
    /// function.
    public func clientStreaming<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        _ produce: (RequestWriter<Request>) async throws -> Void
    ) async throws -> Reply {
        try await channel.clientStreaming(method, options: withDefaults(options), produce)
    }

    /// Sends the messages that `produce` writes, and waits for the response. Also returns the metadata of the
    /// response.
    public func clientStreamingResponse<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        _ produce: (RequestWriter<Request>) async throws -> Void
    ) async throws -> Response<Reply> {
        try await channel.clientStreamingResponse(method, options: withDefaults(options), produce)
    }

    /// Opens a call in which both sides send any number of messages.
    public func bidirectional<Request, Reply>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions()
    ) async throws(RPCError) -> Conversation<Request, Reply> {
        try await channel.bidirectional(method, options: withDefaults(options))
    }

    /// Opens a call in which both sides send any number of messages, for as long as `body` runs. When
    /// `body` returns or throws, a call that has not ended is cancelled.
    public func bidirectional<Request, Reply, Result>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        _ body: (RequestWriter<Request>, ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        try await channel.bidirectional(
            method, options: withDefaults(options), isolation: isolation, body)
    }

    /// Opens a call in which `produce` writes while `consume` reads. When `produce` returns, the request
    /// ends. When `consume` returns, or one of them throws, a call that has not ended is cancelled.
    public func bidirectional<Request, Reply, Result>(
        _ method: Method<Request, Reply>, options: CallOptions = CallOptions(),
        isolation: isolated (any Actor)? = #isolation,
        requests produce: @escaping @Sendable (RequestWriter<Request>) async throws -> Void,
        responses consume: (ScopedResponses<Reply>) async throws -> Result
    ) async throws -> Result {
        try await channel.bidirectional(
            method, options: withDefaults(options), isolation: isolation, requests: produce,
            responses: consume)
    }

    /// Makes a call without starting it. `requests` writes the requests. The call is itself the
    /// `Writer` of its responses: start it with `start(with:)`. Responses are written in `context`.
    public func call<Request, Reply>(
        _ method: Method<Request, Reply>, requests: any Writer<Request>,
        options: CallOptions = CallOptions(), context: SerialContext = .inline
    ) -> Call<Request, Reply> {
        Call(
            channel, method, requests: requests, options: withDefaults(options), context: context)
    }
}
