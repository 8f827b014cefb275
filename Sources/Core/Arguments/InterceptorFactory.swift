/// Creates an interceptor for each call. The module `SwiftletInterceptors` has its initializer, and factories for headers and
/// deadlines:
///
/// ```swift
/// import SwiftletInterceptors
///
/// let region = InterceptorFactory.headers(["x-region": "eu-1"])
/// ```
public struct InterceptorFactory: Sendable {
    /// The name of the interceptor in errors.
    public let name: String
    /// The thread on which the interceptor's methods run.
    public let context: SerialContext
    package let maker: any InterceptorMaker
    /// Whether the interceptor adds metadata that authenticates the caller.
    package var sendsCredentials = false

    package init(_ name: String, context: SerialContext, _ maker: any InterceptorMaker) {
        self.name = name
        self.context = context
        self.maker = maker
    }
}

/// Makes interceptors, and the calls that pass them. The module of the interceptors has the only one, so that a client
/// without interceptors does not build them.
package protocol InterceptorMaker: AnyObject, Sendable {
    /// A call, not started, whose requests pass the interceptors of `factories`, and then the call of
    /// ``Channel/makeBare(_:)``.
    func makeCall(
        _ call: consuming NewCall, _ description: CallDescription,
        _ factories: [InterceptorFactory], of channel: Channel
    ) -> any CallRequests
}

/// An interceptor of a channel, with the calls that it applies to. `SwiftletInterceptors` has what interceptors are made of.
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
