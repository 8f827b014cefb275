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
    /// `options`, completed with ``defaultOptions``, which is the default implementation.
    func withDefaults(_ options: consuming CallOptions) -> CallOptions
}

/// A channel makes the same calls. It completes their options when it makes them.
extension Channel: ServiceClient {
    @inlinable public var channel: Channel { self }

    @inlinable
    public func withDefaults(_ options: consuming CallOptions) -> CallOptions { options }
}

extension ServiceClient {
    @inlinable
    public var defaultOptions: CallOptions { CallOptions() }

    @inlinable
    public func withDefaults(_ options: consuming CallOptions) -> CallOptions {
        let defaults = defaultOptions
        return defaults.isEmpty ? options : options.merged(over: defaults)
    }
}

extension ServiceClient {
    /// The call that `method` and `options` describe, not started yet.
    package func makeCall(
        _ method: MethodSignature, _ options: consuming CallOptions,
        observer: consuming any CallObserver
    ) -> any CallRequests {
        channel.makeCall(method, withDefaults(options), observer: observer)
    }
}
