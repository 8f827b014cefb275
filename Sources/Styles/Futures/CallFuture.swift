public import SwiftletCore
import SwiftletTransport
import Synchronization

/// A future result of a running call, such as its response. A task can await it, a thread can block
/// for it, and a callback can receive it, any number of times, before or after it is complete.
///
/// ```swift
/// let call = greeter.sayHelloCall(request)
/// call.response.whenComplete { print($0) }
/// let reply = try call.response.wait()
/// ```
public final class CallFuture<Value: Sendable>: Sendable {
    /// Returns the steps to run next: the callbacks of the future that this callback completes.
    typealias Callback = @Sendable (Result<Value, RPCError>) -> [FutureStep]

    private struct State: ~Copyable {
        var result: Result<Value, RPCError>?
        var callbacks: [Callback] = []
    }

    /// Nil if the value does not depend on a call.
    let queue: CompletionQueue?
    private let state = Mutex(State())

    /// - Parameter queue: The queue on which the call runs.
    init(on queue: CompletionQueue?) { self.queue = queue }
}

extension CallFuture {
    /// Awaits the value. Throws the error of the call. Cancelling the task does not cancel the call, and
    /// does not end the wait.
    public var value: Value {
        get async throws(RPCError) {
            let result = await Resumption<Result<Value, RPCError>>.wait { waiter in
                whenComplete { waiter.resume(returning: $0) }
            }
            return try result.get()
        }
    }

    /// Blocks the calling thread until the value is available. Throws the error of the call, and
    /// FAILED_PRECONDITION on the thread of the call's own queue. If the queue is turned by hand,
    /// the calling thread turns it.
    public func wait() throws(RPCError) -> Value {
        guard queue?.blocksItself != true || isComplete else { throw .blockedQueue }
        return try Resumption<Result<Value, RPCError>>.block(on: queue) { waiter in
            whenComplete { waiter.resume(returning: $0) }
        }.get()
    }

    /// Whether the future has its value or its error.
    public var isComplete: Bool { state.withLock { $0.result != nil } }

    /// Calls `body` once, when the future is complete. If it is complete already, `body` is called
    /// at once.
    ///
    /// - Parameters:
    ///   - context: Where `body` is called. By default this is the thread that completes the
    ///     future, which `body` must not block.
    ///   - body: Receives the value, or the error of the call.
    public func whenComplete(
        on context: SerialContext = .inline,
        _ body: @escaping @Sendable (Result<Value, RPCError>) -> Void
    ) {
        let steps = then { result in
            if context.isInline { body(result) } else { context { body(result) } }
            return []
        }
        FutureStep.run(steps)
    }

    /// Keeps `callback` for the result. Returns the step to run now if the future is complete already.
    func then(_ callback: @escaping Callback) -> [FutureStep] {
        let result = state.withLock { state in
            if state.result == nil { state.callbacks.append(callback) }
            return state.result
        }
        return result.map { result in [FutureStep { callback(result) }] } ?? []
    }

    /// Completes the future. Only the first result has an effect.
    func complete(_ result: Result<Value, RPCError>) { FutureStep.run(settle(result)) }

    /// Keeps the value, and returns the callbacks that wait for it.
    func settle(_ result: Result<Value, RPCError>) -> [FutureStep] {
        let callbacks: [Callback] = state.withLock { state in
            guard state.result == nil else { return [] }
            state.result = result
            defer { state.callbacks = [] }
            return state.callbacks
        }
        return callbacks.map { callback in FutureStep { callback(result) } }
    }
}

/// A callback to run. Returns the callbacks to run because of it.
///
/// A future that depends on another one is completed in a loop, not by recursion: a long chain of
/// futures would overflow the stack.
struct FutureStep {
    let run: () -> [FutureStep]

    /// Runs the steps in their order. The steps that one step returns run before the next one.
    static func run(_ steps: [FutureStep]) {
        HeldLocks.assertNone(calling: "callback of a future")
        var due = Array(steps.reversed())
        while let step = due.popLast() { due += step.run().reversed() }
    }
}
