/// Takes values one after the other, and then the end of them.
///
/// Values come one at a time. The end comes once, and no value after it.
public protocol Writeable<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// The next value.
    func write(_ value: Value)

    /// No more values follow: nil when all were written, otherwise why not.
    func writesFinished(_ error: RPCError?)
}

/// Gives each value, and the end, to handlers.
///
/// ```swift
/// let names = HandlerWriteable<HelloReply>(
///     value: { print($0.message) }, completion: { print($0 ?? "done") })
/// ```
public final class HandlerWriteable<Value: Sendable>: Writeable {
    /// What happens to a writeable.
    public enum Event: Sendable {
        case value(Value)
        case done
        case error(RPCError)
    }

    private let handler: @Sendable (Event) -> Void

    /// Every event goes to one handler.
    public init(event handler: @escaping @Sendable (Event) -> Void) { self.handler = handler }

    /// Values go to one handler, and the end to another.
    public init(
        value: @escaping @Sendable (Value) -> Void,
        completion: @escaping @Sendable (RPCError?) -> Void
    ) {
        handler = { event in
            switch event {
            case .value(let next): value(next)
            case .done: completion(nil)
            case .error(let error): completion(error)
            }
        }
    }

    public func write(_ value: Value) { handler(.value(value)) }

    public func writesFinished(_ error: RPCError?) {
        handler(error.map { .error($0) } ?? .done)
    }
}

/// Wants exactly one value: its handler is called once, at the end, with the value or an error.
public final class SingleValueWriteable<Value: Sendable>: Writeable {
    private let only = OnlyReply<Value>()
    private let handler: @Sendable (Result<Value, RPCError>) -> Void

    public init(_ handler: @escaping @Sendable (Result<Value, RPCError>) -> Void) {
        self.handler = handler
    }

    public func write(_ value: Value) { only.receive(value) }

    public func writesFinished(_ error: RPCError?) {
        handler(only.result(at: error.map { .failure($0) } ?? .success(Metadata())))
    }
}
