import Foundation

/// Runs a blocking function on a new thread. Swift's cooperative thread pool has only one thread for
/// each processor, and other tasks need them.
func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value
{
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
