/// Intercepts one call: it receives every request on its way to the network and every response on
/// its way to the caller, and may hold, change, drop, repeat or answer it.
///
/// The default of each method passes the event on. The argument `call` is the context: its
/// functions pass requests to the network and responses to the caller.
///
/// ```swift
/// final class Stamp: Interceptor {
///     func start(_ options: CallOptions, _ call: InterceptedCall) {
///         var options = options
///         options.metadata.append("7f3a", for: "x-request-id")
///         call.start(options)
///     }
/// }
///
/// let stamp = InterceptorFactory("stamp") { _ in Stamp() }
/// let channel = try Channel("localhost:50051", credentials: .insecure, interceptors: [.all(stamp)])
/// ```
///
/// An interceptor belongs to one call. Its methods run one at a time, on the thread that delivers
/// the event, or in ``InterceptorFactory/context``. State that calls share belongs in the closure
/// of the factory. Work that an interceptor does later, in a task or a handler, must use
/// ``InterceptedCall/perform(as:_:)``.
public protocol Interceptor: AnyObject, SendableMetatype {
    // Requests, from the caller to the network.

    /// The call starts.
    ///
    /// The options are those of the call, completed with the channel's defaults.
    /// ``CallOptions/timeout`` is always nil: the time is counted from the creation of the call,
    /// and is part of ``CallOptions/absoluteDeadline``. An interceptor may set either.
    func start(_ options: CallOptions, _ call: InterceptedCall)
    /// The caller sends a message. ``InterceptedCall/write(_:)`` passes it on.
    func write(_ message: RawMessage, _ call: InterceptedCall)
    /// The request ends: no more messages follow.
    func finish(_ call: InterceptedCall)
    /// The caller asks for one more message.
    func receiveNext(_ call: InterceptedCall)
    /// The caller has cancelled the call, or it has failed on this side;
    /// ``InterceptedCall/cancellation`` is the error. The caller receives no more events. An interceptor that
    /// does not call ``InterceptedCall/cancel()`` lets the rest of the call continue, if it
    /// has started it; otherwise, the interceptor is released.
    func cancel(_ call: InterceptedCall)

    // Responses, from the network to the caller.

    /// The response headers have arrived. Not called if the call ends without them.
    func receive(initialMetadata: Metadata, _ call: InterceptedCall)
    /// A response message has arrived.
    func receive(_ message: RawMessage, _ call: InterceptedCall)
    /// A message was accepted, and there is room for the next.
    func writeDone(_ call: InterceptedCall)
    /// The call has ended. No more events follow.
    func close(_ end: CallEnd, _ call: InterceptedCall)
}

extension Interceptor {
    public func start(_ options: CallOptions, _ call: InterceptedCall) { call.start(options) }
    public func write(_ message: RawMessage, _ call: InterceptedCall) { call.write(message) }
    public func finish(_ call: InterceptedCall) { call.finish() }
    public func receiveNext(_ call: InterceptedCall) { call.receiveNext() }
    public func cancel(_ call: InterceptedCall) { call.cancel() }

    public func receive(initialMetadata: Metadata, _ call: InterceptedCall) {
        call.deliver(initialMetadata: initialMetadata)
    }
    public func receive(_ message: RawMessage, _ call: InterceptedCall) { call.deliver(message) }
    public func writeDone(_ call: InterceptedCall) { call.deliverWriteDone() }
    public func close(_ end: CallEnd, _ call: InterceptedCall) { call.close(end) }
}

/// Creates an interceptor for each call.
public struct InterceptorFactory: Sendable {
    /// The name of the interceptor in errors.
    public let name: String
    /// The thread on which the interceptor's methods run.
    public let context: SerialContext
    let make: @Sendable (CallDescription) -> sending (any Interceptor)?
    /// Whether the interceptor adds metadata that authenticates the caller.
    package var sendsCredentials = false

    /// - Parameters:
    ///   - name: The name of the interceptor in errors.
    ///   - context: The thread on which its methods run. The default is the thread that delivers
    ///     the event.
    ///   - make: Called for each call; nil means no interceptor for this call.
    public init(
        _ name: String, context: SerialContext = .inline,
        make: @escaping @Sendable (CallDescription) -> sending (any Interceptor)?
    ) {
        self.name = name
        self.context = context
        self.make = make
    }
}

/// A call, as interceptors and credentials receive it.
public struct CallDescription: Hashable, Sendable {
    /// `/package.Service/Method`.
    public let path: String
    public let shape: CallShape
    /// The `:authority` of the request.
    public let authority: String
    /// Whether the connection is encrypted. False if this is decided only when the call gets a connection.
    public var isSecure: Bool { encryption == .all }
    /// Which connections of the channel are encrypted.
    package let encryption: Encryption
    /// The method of a plain HTTP request; nil for a call of gRPC.
    public var httpMethod: HTTPMethod? { plain?.method }
    /// The plain HTTP request; nil for a call of gRPC.
    package let plain: PlainExchange?

    /// - Parameters:
    ///   - path: `/package.Service/Method`.
    ///   - shape: How many messages each side sends.
    ///   - authority: The `:authority` of the request.
    ///   - isSecure: Whether the connection is encrypted.
    public init(path: String, shape: CallShape, authority: String, isSecure: Bool) {
        self.init(
            path, shape, authority: authority, isSecure ? .all : .none, plain: nil)
    }

    /// - Parameter authority: That of the call's options, if they have one.
    init(_ method: MethodSignature, authority: String?, _ channel: any ChannelBackend) {
        self.init(
            method.path, method.shape, authority: authority ?? channel.authority,
            channel.encryption, plain: method.plain)
    }

    private init(
        _ path: String, _ shape: CallShape, authority: String, _ encryption: Encryption,
        plain: PlainExchange?
    ) {
        self.path = path
        self.shape = shape
        self.authority = authority
        self.encryption = encryption
        self.plain = plain
    }

    /// `package.Service`.
    public var serviceName: String { MethodName(path: path)?.service ?? "" }
    /// `Method`.
    public var methodName: String { MethodName(path: path)?.method ?? "" }
}

/// An interceptor of a channel, with the calls that it applies to.
///
/// A request passes the interceptors for all calls first, then those for its service, then those
/// for its method, then those of its own options; within each group, in the order of the list. A
/// response passes them in the reverse order.
public struct ChannelInterceptor: Sendable {
    enum Scope: Equatable { case all, service(String), method(String) }

    let scope: Scope
    let factory: InterceptorFactory

    /// An interceptor of every call.
    public static func all(_ factory: InterceptorFactory) -> ChannelInterceptor {
        ChannelInterceptor(scope: .all, factory: factory)
    }

    /// An interceptor of the calls to a service, named as `package.Service`.
    public static func service(
        _ name: String, _ factory: InterceptorFactory
    ) -> ChannelInterceptor {
        ChannelInterceptor(scope: .service(name), factory: factory)
    }

    /// An interceptor of the calls to a method, named by its path `/package.Service/Method`.
    public static func method(
        _ path: String, _ factory: InterceptorFactory
    ) -> ChannelInterceptor {
        ChannelInterceptor(scope: .method(path), factory: factory)
    }
}

extension [ChannelInterceptor] {
    /// The factories for a call whose options add no factories. Nil if some apply only to a
    /// service or a method.
    var commonFactories: [InterceptorFactory]? {
        allSatisfy { $0.scope == .all } ? map(\.factory) : nil
    }

    /// The factories for a call, in the order of its requests.
    func factories(for call: CallDescription, and own: [InterceptorFactory]) -> [InterceptorFactory]
    {
        var factories: [InterceptorFactory] = []
        factories.reserveCapacity(count + own.count)
        for entry in self where entry.scope == .all { factories.append(entry.factory) }
        if factories.count < count {
            let service = call.serviceName
            for scope in [.service(service), .method(call.path)] as [ChannelInterceptor.Scope] {
                for entry in self where entry.scope == scope { factories.append(entry.factory) }
            }
        }
        factories += own
        return factories
    }
}
