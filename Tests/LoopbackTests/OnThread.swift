import Foundation

/// Runs what blocks on a thread of its own: the threads of tasks are as few as the processors, and
/// the server's handlers need one.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
