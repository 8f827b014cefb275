/// A service with all its methods, for ``ServerMethods/add(_:)``.
///
/// ```swift
/// struct Greetings: LoopbackService {
///     func register(in methods: inout ServerMethods) {
///         methods.unary(sayHello) { request, _ in HelloReply(message: "Hi \(request.name)") }
///     }
/// }
/// ```
public protocol LoopbackService: Sendable {
    func register(in methods: inout ServerMethods)
}
