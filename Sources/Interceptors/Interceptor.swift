public import SwiftletCore
import SwiftletTransport

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
/// the event, or in `InterceptorFactory.context`. State that calls share belongs in the closure
/// of the factory. Work that an interceptor does later, in a task or a handler, must use
/// ``InterceptedCall/perform(as:_:)``.
public protocol Interceptor: AnyObject, SendableMetatype {
    // Requests, from the caller to the network.

    /// The call starts.
    ///
    /// The options are those of the call, completed with the channel's defaults. Their `timeout` is always nil: the
    /// time is counted from the creation of the call, and is part of the `absoluteDeadline`. An interceptor may set
    /// either. The `credentials` are asked after the last interceptor, if they are still among the options.
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

extension InterceptorFactory {
    /// - Parameters:
    ///   - name: The name of the interceptor in errors.
    ///   - context: The thread on which its methods run. The default is the thread that delivers
    ///     the event.
    ///   - make: Called for each call; nil means no interceptor for this call.
    public init(
        _ name: String, context: SerialContext = .inline,
        make: @escaping @Sendable (CallDescription) -> sending (any Interceptor)?
    ) {
        self.init(name, context: context, ChainMaker(make))
    }

    /// Makes the interceptor; nil means none for this call.
    func make(for call: CallDescription) -> sending (any Interceptor)? {
        HeldLocks.assertNone(calling: "interceptor factory")
        return (maker as? ChainMaker)?.make(call)
    }
}

/// Makes the interceptors of a factory, and the chain of a call.
private final class ChainMaker: InterceptorMaker {
    let make: @Sendable (CallDescription) -> sending (any Interceptor)?

    init(_ make: @escaping @Sendable (CallDescription) -> sending (any Interceptor)?) {
        self.make = make
    }

    func makeCall(
        _ call: consuming NewCall, _ description: CallDescription,
        _ factories: [InterceptorFactory], of channel: Channel
    ) -> any CallRequests {
        InterceptorChain(channel, call, description, factories)
    }
}
