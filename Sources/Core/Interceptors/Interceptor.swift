/// Stands between a caller and the network for one call: sees every request on its way out and
/// every response on its way in, and may hold, change, drop, repeat or answer it.
///
/// Each method forwards, unless it is written otherwise. `call` is both neighbours: what is asked
/// of it goes on to the network, what is handed to it goes on to the caller.
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
/// let channel = try Channel("localhost:50051", interceptors: [.all(stamp)])
/// ```
///
/// An interceptor object belongs to one call, and its methods run one at a time: on the thread
/// that brings the event, or where ``InterceptorFactory/context`` says. State that calls share
/// lives in what the factory's closure captures. What an interceptor does later, from a task or a
/// handler of its own, goes through ``InterceptedCall/perform(as:_:)``.
public protocol Interceptor: AnyObject, SendableMetatype {
    // Requests, from the caller to the network.

    /// The call begins.
    ///
    /// The options are those of the call over the channel's defaults. ``CallOptions/timeout`` is nil
    /// in them, whatever the caller has set: it counts from when the call was made, and stands in
    /// ``CallOptions/absoluteDeadline``. An interceptor may set either.
    func start(_ options: CallOptions, _ call: InterceptedCall)
    func write(_ message: RawMessage, _ call: InterceptedCall)
    /// No more messages follow.
    func finish(_ call: InterceptedCall)
    /// The caller is ready for one more message.
    func receiveNext(_ call: InterceptedCall)
    /// The caller has lost interest, or the call has failed on this side, which
    /// ``InterceptedCall/cancellation`` tells; the caller hears nothing any more.
    func cancel(_ call: InterceptedCall)

    // Responses, from the network to the caller.

    func receive(initialMetadata: Metadata, _ call: InterceptedCall)
    func receive(_ message: RawMessage, _ call: InterceptedCall)
    /// A message was taken, and there is room for the next.
    func writeDone(_ call: InterceptedCall)
    /// The call has ended; nothing follows.
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

/// Makes an interceptor for each call.
public struct InterceptorFactory: Sendable {
    /// Names it in errors.
    public let name: String
    /// Where an interceptor's methods run.
    public let context: SerialContext
    let make: @Sendable (CallDescription) -> sending (any Interceptor)?

    /// - Parameters:
    ///   - name: Names it in errors.
    ///   - context: Where its methods run.
    ///   - make: Called when a call is made; nil leaves the call alone.
    public init(
        _ name: String, context: SerialContext = .inline,
        make: @escaping @Sendable (CallDescription) -> sending (any Interceptor)?
    ) {
        self.name = name
        self.context = context
        self.make = make
    }
}

/// Which call an interceptor is asked for.
public struct CallDescription: Hashable, Sendable {
    /// `/package.Service/Method`.
    public let path: String
    public let shape: CallShape
    /// What the channel's requests are addressed to.
    public let authority: String
    /// Whether what is sent cannot be read on the way.
    public let isSecure: Bool

    /// `package.Service`.
    public var serviceName: String { MethodName(path: path)?.service ?? "" }
    /// `Method`.
    public var methodName: String { MethodName(path: path)?.method ?? "" }
}

/// An interceptor of a channel, and the calls it is for.
///
/// A request meets those for all calls first, then those for its service, then those for its
/// method, then those that its own options name; within each, in the order of the list. A
/// response meets them the other way round.
public struct ChannelInterceptor: Sendable {
    enum Scope: Hashable { case all, service(String), method(String) }

    let scope: Scope
    let factory: InterceptorFactory

    /// For every call.
    public static func all(_ factory: InterceptorFactory) -> ChannelInterceptor {
        ChannelInterceptor(scope: .all, factory: factory)
    }

    /// For the calls to a service, named as `package.Service`.
    public static func service(
        _ name: String, _ factory: InterceptorFactory
    ) -> ChannelInterceptor {
        ChannelInterceptor(scope: .service(name), factory: factory)
    }

    /// For the calls of a method, named by its path `/package.Service/Method`.
    public static func method(
        _ path: String, _ factory: InterceptorFactory
    ) -> ChannelInterceptor {
        ChannelInterceptor(scope: .method(path), factory: factory)
    }
}

extension [ChannelInterceptor] {
    /// Those for a call, in the order in which its requests meet them.
    func factories(for call: CallDescription, and own: [InterceptorFactory]) -> [InterceptorFactory]
    {
        var factories: [InterceptorFactory] = []
        let service = call.serviceName
        for scope in [.all, .service(service), .method(call.path)] as [ChannelInterceptor.Scope] {
            for entry in self where entry.scope == scope { factories.append(entry.factory) }
        }
        return factories + own
    }
}
