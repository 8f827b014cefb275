/// A task that waits for one value.
///
/// A continuation without the runtime's check, which costs an allocation for each call. It is safe:
/// the code that resumes it has removed it from a state under the lock of that state, so that it is
/// resumed once.
@safe package struct Resumption<Value: Sendable>: Sendable {
    private let continuation: UnsafeContinuation<Value, Never>

    private init(_ continuation: UnsafeContinuation<Value, Never>) {
        unsafe self.continuation = continuation
    }

    /// Suspends the task. `begin` keeps the resumption, or resumes it at once.
    package static func wait(_ begin: (Resumption) -> Void) async -> Value {
        await unsafe withUnsafeContinuation { unsafe begin(Resumption($0)) }
    }

    package func resume(returning value: consuming Value) {
        unsafe continuation.resume(returning: value)
    }
}

extension Resumption<Void> {
    package func resume() { resume(returning: ()) }
}
