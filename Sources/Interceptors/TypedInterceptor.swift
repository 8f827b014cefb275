public import SwiftletCore
import SwiftletTransport

/// An interceptor of one method that receives messages as values.
///
/// ```swift
/// final class Politeness: TypedInterceptor {
///     func write(_ request: HelloRequest, _ call: TypedCall<HelloRequest, HelloReply>) {
///         call.write(HelloRequest(name: "dear \(request.name)"))
///     }
/// }
///
/// let polite = InterceptorFactory.typed("politeness", sayHello) { Politeness() }
/// let channel = try Channel(target, credentials: .insecure, interceptors: [.method(sayHello.path, polite)])
/// ```
///
/// Messages are decoded and encoded again. If that fails, the call ends with INTERNAL.
public protocol TypedInterceptor: AnyObject, SendableMetatype {
    associatedtype Request: Sendable
    associatedtype Reply: Sendable

    /// The call starts.
    func start(_ options: CallOptions, _ call: TypedCall<Request, Reply>)
    func write(_ request: Request, _ call: TypedCall<Request, Reply>)
    func receive(_ reply: Reply, _ call: TypedCall<Request, Reply>)
    /// The call has ended. No more events follow.
    func close(_ end: CallEnd, _ call: TypedCall<Request, Reply>)
}

extension TypedInterceptor {
    public func start(_ options: CallOptions, _ call: TypedCall<Request, Reply>) {
        call.raw.start(options)
    }
    public func write(_ request: Request, _ call: TypedCall<Request, Reply>) {
        call.write(request)
    }
    public func receive(_ reply: Reply, _ call: TypedCall<Request, Reply>) { call.deliver(reply) }
    public func close(_ end: CallEnd, _ call: TypedCall<Request, Reply>) { call.raw.close(end) }
}

/// The context of a typed interceptor.
public struct TypedCall<Request: Sendable, Reply: Sendable>: Sendable {
    /// The call with encoded messages and all other functions.
    public let raw: InterceptedCall
    private let method: Method<Request, Reply>
    /// ``RawMessage/allowsCompression`` of the request that is being handled; otherwise true.
    private let allowsCompression: Bool

    init(_ raw: InterceptedCall, _ method: Method<Request, Reply>, allowsCompression: Bool = true) {
        self.raw = raw
        self.method = method
        self.allowsCompression = allowsCompression
    }

    /// Passes a request on to the network.
    public func write(_ request: Request) {
        pass(on: request, method.requestCodec) { raw.write($0) }
    }

    /// Delivers a reply to the caller.
    public func deliver(_ reply: Reply) {
        pass(on: reply, method.replyCodec) { raw.deliver($0) }
    }

    private func pass<Value>(
        on value: Value, _ codec: Codec<Value>, _ body: (RawMessage) -> Void
    ) {
        do throws(RPCError) {
            body(RawMessage(try codec.encode(value), allowsCompression: allowsCompression))
        } catch {
            raw.close(CallEnd(error: error))
        }
    }
}

extension InterceptorFactory {
    /// A typed interceptor of `method`. It is not applied to other methods.
    public static func typed<Typed: TypedInterceptor>(
        _ name: String, _ method: Method<Typed.Request, Typed.Reply>,
        context: SerialContext = .inline, make: @escaping @Sendable () -> sending Typed
    ) -> InterceptorFactory {
        InterceptorFactory(name, context: context) { call in
            guard call.path == method.path else { return nil }
            return TypedAdapter(make(), method)
        }
    }
}

/// Decodes the messages of a typed interceptor.
private final class TypedAdapter<Typed: TypedInterceptor>: Interceptor {
    private let typed: Typed
    private let method: Method<Typed.Request, Typed.Reply>

    init(_ typed: Typed, _ method: Method<Typed.Request, Typed.Reply>) {
        self.typed = typed
        self.method = method
    }

    func start(_ options: CallOptions, _ call: InterceptedCall) {
        typed.start(options, TypedCall(call, method))
    }

    func write(_ message: RawMessage, _ call: InterceptedCall) {
        decode(message, method.requestCodec, call) { request in
            typed.write(
                request, TypedCall(call, method, allowsCompression: message.allowsCompression))
        }
    }

    func receive(_ message: RawMessage, _ call: InterceptedCall) {
        decode(message, method.replyCodec, call) { typed.receive($0, TypedCall(call, method)) }
    }

    func close(_ end: CallEnd, _ call: InterceptedCall) {
        typed.close(end, TypedCall(call, method))
    }

    private func decode<Value>(
        _ message: RawMessage, _ codec: Codec<Value>, _ call: InterceptedCall,
        _ body: (Value) -> Void
    ) {
        do throws(RPCError) {
            let bytes = message.bytes
            body(try codec.decode(bytes.contiguous.span))
        } catch {
            call.close(CallEnd(error: error))
        }
    }
}
