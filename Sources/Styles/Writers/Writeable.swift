public import SwiftletCore
import Synchronization

/// Receives values one at a time, and then one end.
public protocol Writeable<Value>: AnyObject, Sendable {
    associatedtype Value: Sendable

    /// Receives the next value.
    func write(_ value: Value)

    /// Receives the end: no more values follow. The error is nil if all values were written.
    func writesFinished(_ error: RPCError?)
}

extension Writeable {
    /// Writes the values of a sequence.
    public func write(contentsOf values: some Sequence<Value>) {
        for value in values { write(value) }
    }

    /// Writes the values of an asynchronous sequence as they come. Throws the errors of the sequence, and passes no end.
    public func write<Values: AsyncSequence>(contentsOf values: Values) async throws
    where Values.Element == Value {
        for try await value in values { write(value) }
    }
}

/// Passes values and the end to handlers.
///
/// ```swift
/// let names = HandlerWriteable<HelloReply>(
///     value: { print($0.message) }, completion: { print($0 ?? "done") })
/// ```
public final class HandlerWriteable<Value: Sendable>: Writeable {
    /// An event of a writeable.
    public enum Event: Sendable {
        case value(Value)
        case done
        case error(RPCError)
    }

    private let handler: @Sendable (Event) -> Void

    /// Passes every event to one handler.
    public init(event handler: @escaping @Sendable (Event) -> Void) { self.handler = handler }

    /// Passes values to one handler, and the end to another.
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

/// Expects exactly one value. Its handler is called once, at the end, with the value or an error.
public final class SingleValueWriteable<Value: Sendable>: Writeable {
    private let state = Mutex<(only: Value?, failure: RPCError?)>((nil, nil))
    private let handler: @Sendable (Result<Value, RPCError>) -> Void

    public init(_ handler: @escaping @Sendable (Result<Value, RPCError>) -> Void) {
        self.handler = handler
    }

    public func write(_ value: Value) {
        state.withLock { state in
            do throws(RPCError) {
                try state.only.receiveOnly(value, of: nil)
            } catch {
                state.failure = error
            }
        }
    }

    public func writesFinished(_ error: RPCError?) {
        var (only, failure) = state.withLock { $0 }
        handler(
            Result { () throws(RPCError) in
                if let error = error ?? failure { throw error }
                return try only.takeOnly(of: nil)
            })
    }
}
