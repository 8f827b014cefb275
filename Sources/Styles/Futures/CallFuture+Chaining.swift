public import SwiftletCore
import Synchronization

extension CallFuture {
    /// A future whose value is the result of `transform`, or whose error `transform` throws.
    ///
    /// ```swift
    /// let name = call.response.map(\.message)
    /// ```
    public func map<Mapped: Sendable>(
        _ transform: @escaping @Sendable (Value) throws(RPCError) -> Mapped
    ) -> CallFuture<Mapped> {
        derived { result, mapped in
            mapped.settle(
                Result { () throws(RPCError) in try transform(try result.get()) })
        }
    }

    /// A future whose value is that of a second future, which `next` makes of this value. A call that `next`
    /// starts begins when this value is there. An error of this future, or one that `next` throws, is the
    /// error of the result; `next` is not called for an error.
    ///
    /// ```swift
    /// let reply = first.response.flatMap { reply in
    ///     greeter.sayHelloCall(.init(name: reply.message)).response
    /// }
    /// ```
    ///
    /// If both calls are on queues that are turned by hand, ``wait()`` turns only the queue of the first.
    public func flatMap<Next: Sendable>(
        _ next: @escaping @Sendable (Value) throws(RPCError) -> CallFuture<Next>
    ) -> CallFuture<Next> {
        derived { result, last in
            do throws(RPCError) {
                return try next(try result.get()).then { last.settle($0) }
            } catch {
                return last.settle(.failure(error))
            }
        }
    }

    /// A future with this value, or with the value that `replacement` returns for the error. If
    /// `replacement` throws, the result has that error.
    ///
    /// ```swift
    /// let name = call.response.map(\.message).recover { _ in "none" }
    /// ```
    public func recover(
        _ replacement: @escaping @Sendable (RPCError) throws(RPCError) -> Value
    ) -> CallFuture<Value> {
        derived { result, last in
            last.settle(
                Result { () throws(RPCError) in
                    switch result {
                    case .success(let value): value
                    case .failure(let error): try replacement(error)
                    }
                })
        }
    }

    /// A future with this value, or with that of the future that `next` makes of the error, such as a
    /// second call.
    public func flatMapError(
        _ next: @escaping @Sendable (RPCError) throws(RPCError) -> CallFuture<Value>
    ) -> CallFuture<Value> {
        derived { result, last in
            guard case .failure(let error) = result else { return last.settle(result) }
            do throws(RPCError) {
                return try next(error).then { last.settle($0) }
            } catch {
                return last.settle(.failure(error))
            }
        }
    }

    /// A future with the values of all futures, in their order. It fails with the first error, without
    /// waiting for the others; their calls continue. Without futures, it is complete and empty.
    ///
    /// ```swift
    /// let replies = try await CallFuture.all(calls.map(\.response)).value
    /// ```
    ///
    /// If the queues of several futures are turned by hand, ``wait()`` turns only the queue of the first.
    public static func all(_ futures: [CallFuture]) -> CallFuture<[Value]> {
        let whole = CallFuture<[Value]>(on: futures.first?.queue)
        guard !futures.isEmpty else {
            whole.complete(.success([]))
            return whole
        }
        let gathered = GatheredValues<Value>(count: futures.count)
        for (index, future) in futures.enumerated() {
            let steps = future.then { result in
                switch result {
                case .failure(let error): return whole.settle(.failure(error))
                case .success(let value):
                    guard let all = gathered.add(value, at: index) else { return [] }
                    return whole.settle(.success(all))
                }
            }
            FutureStep.run(steps)
        }
        return whole
    }

    /// A future that `settle` completes with the result of this one.
    private func derived<Other: Sendable>(
        _ settle:
            @escaping @Sendable (Result<Value, RPCError>, CallFuture<Other>) -> [FutureStep]
    ) -> CallFuture<Other> {
        let other = CallFuture<Other>(on: queue)
        FutureStep.run(then { settle($0, other) })
        return other
    }
}

/// The values that have arrived of several futures.
private final class GatheredValues<Value: Sendable>: Sendable {
    private struct State: ~Copyable {
        var values: [Value?]
        var missingCount: Int
    }

    private let state: Mutex<State>

    init(count: Int) {
        state = Mutex(State(values: Array(repeating: nil, count: count), missingCount: count))
    }

    /// Returns all values, in order, with the last of them.
    func add(_ value: Value, at index: Int) -> [Value]? {
        state.withLock { state in
            state.values[index] = value
            state.missingCount -= 1
            return state.missingCount == 0 ? state.values.compactMap(\.self) : nil
        }
    }
}
