/// A task that waits for one value.
///
/// A continuation without the run-time's check, which costs an allocation a call: whoever resumes
/// has taken it out of the state it lay in, under that state's lock, and so is the only one.
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
